// A sieve by trial.
//// compute 16
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
bool prime(uint n) { if (n < 2u) return false; for (uint d = 2u; d * d <= n; d++) if (n % d == 0u) return false; return true; }
void main() { result[gl_GlobalInvocationID.x] = prime(gl_GlobalInvocationID.x) ? 1u : 0u; }
