// Images that are written and read.
//// compute 16
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
layout(binding = 0, rgba8) uniform image2D picture; layout(binding = 1, r32ui) uniform uimage2D counts;
void main() { ivec2 p = ivec2(gl_GlobalInvocationID.x % 64u, gl_GlobalInvocationID.x / 64u); imageStore(picture, p, vec4(p, 100, 255) / 255.0); imageStore(counts, p, uvec4(numbers[gl_GlobalInvocationID.x])); imageAtomicAdd(counts, p, 5u); vec4 v = imageLoad(picture, p); result[gl_GlobalInvocationID.x] = uint(v.x * 255.0 + 0.5) + 256u * uint(v.y * 255.0 + 0.5) + 65536u * (imageLoad(counts, p).x & 255u); }
