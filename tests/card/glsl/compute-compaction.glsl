// Some numbers, in any order: how many, and their sum.
//// compute 8
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint count; shared uint kept[256];
void main() { uint i = gl_LocalInvocationIndex, v = numbers[gl_GlobalInvocationID.x]; if (i == 0u) count = 0u; barrier(); if ((v & 3u) == 1u) kept[atomicAdd(count, 1u)] = v; barrier(); if (i == 0u) { uint sum = 0u; for (uint n = 0u; n < count; n++) sum += kept[n]; result[gl_WorkGroupID.x * 2u] = count; result[gl_WorkGroupID.x * 2u + 1u] = sum; } }
