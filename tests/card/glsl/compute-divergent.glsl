// Functions in branches that threads of a warp take apart.
//// compute 16
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
uint f(uint n) { uint r = n; for (uint k = 0u; k < (n & 7u); k++) { if ((r & 1u) == 1u) r = r * 5u + 1u; else r = r >> 1 ^ k; if (r > 100000u) break; } return r; }
void main() { uint i = gl_GlobalInvocationID.x; uint v = numbers[i] & 1023u; switch (i % 5u) { case 0u: v = f(v); break; case 1u: v += f(i); case 2u: v ^= 77u; break; case 3u: v = f(f(v)); break; default: v = ~v; } result[i] = v; }
