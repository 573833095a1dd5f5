// A block turned round in shared memory.
//// compute 8
#version 430
layout(local_size_x = 128) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint part[128];
void main() { uint i = gl_LocalInvocationIndex; part[i] = numbers[gl_GlobalInvocationID.x]; barrier(); result[gl_GlobalInvocationID.x] = part[127u - i]; }
