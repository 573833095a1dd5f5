// A bitonic sort.
//// compute 4
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint v[256];
void main() { uint i = gl_LocalInvocationIndex; v[i] = numbers[gl_GlobalInvocationID.x]; barrier(); for (uint k = 2u; k <= 256u; k <<= 1) for (uint j = k >> 1; j > 0u; j >>= 1) { uint o = i ^ j; if (o > i) { bool up = (i & k) == 0u; uint a = v[i], b = v[o]; if ((a > b) == up) { v[i] = b; v[o] = a; } } barrier(); } result[gl_GlobalInvocationID.x] = v[i]; }
