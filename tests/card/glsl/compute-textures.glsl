// Textures in compute programs.
//// compute 16
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
layout(binding = 0) uniform sampler2D t; layout(binding = 5) uniform usampler2D u;
void main() { ivec2 p = ivec2(gl_GlobalInvocationID.x % 64u, gl_GlobalInvocationID.x / 64u); result[gl_GlobalInvocationID.x] = packUnorm4x8(texelFetch(t, p, 0)) ^ texelFetch(u, p.yx, 0).x; }
