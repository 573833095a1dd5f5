// A histogram in shared memory.
//// compute 8
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint bins[64];
void main() { uint i = gl_LocalInvocationIndex; if (i < 64u) bins[i] = 0u; barrier(); for (uint n = 0u; n < 2u; n++) atomicAdd(bins[numbers[(gl_GlobalInvocationID.x + n * 2048u) & 4095u] & 63u], 1u); barrier(); if (i < 64u) result[gl_WorkGroupID.x * 64u + i] = bins[i]; }
