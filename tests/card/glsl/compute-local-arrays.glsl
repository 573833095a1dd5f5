// Arrays of a thread, across barriers.
//// compute 4
#version 430
layout(local_size_x = 128) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint s[128];
void main() { uint a[16], i = gl_LocalInvocationIndex; for (uint n = 0u; n < 16u; n++) a[n] = numbers[(i * 16u + n) & 4095u]; s[i] = a[i & 15u]; barrier(); a[(i * 7u) & 15u] ^= s[(i + 1u) & 127u]; barrier(); uint x = 0u; for (uint n = 0u; n < 16u; n++) x = x * 31u + a[n]; result[gl_GlobalInvocationID.x] = x; }
