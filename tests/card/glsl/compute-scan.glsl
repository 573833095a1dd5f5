// Prefix sums of a block.
//// compute 8
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint sums[256];
void main() { uint i = gl_LocalInvocationIndex; sums[i] = numbers[gl_GlobalInvocationID.x] & 255u; barrier(); for (uint s = 1u; s < 256u; s <<= 1) { uint v = i >= s ? sums[i - s] : 0u; barrier(); sums[i] += v; barrier(); } result[gl_GlobalInvocationID.x] = sums[i]; }
