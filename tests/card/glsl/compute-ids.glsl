// What threads are called.
//// compute 16
#version 430
layout(local_size_x = 64) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { uint n = gl_GlobalInvocationID.x; result[n] = n * 3u + gl_LocalInvocationIndex * 65536u + gl_WorkGroupID.x * 1024u; }
