// A histogram in a buffer.
//// compute 16
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { atomicAdd(result[1u + (numbers[gl_GlobalInvocationID.x] & 255u)], 1u); }
