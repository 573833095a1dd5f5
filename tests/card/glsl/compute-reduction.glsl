// The sum of a block.
//// compute 8
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint sums[256];
void main() { uint i = gl_LocalInvocationIndex; sums[i] = numbers[gl_GlobalInvocationID.x] & 1023u; barrier(); for (uint s = 128u; s > 0u; s >>= 1) { if (i < s) sums[i] += sums[i + s]; barrier(); } if (i == 0u) result[gl_WorkGroupID.x] = sums[0]; }
