// Loops of different lengths.
//// compute 16
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { uint v = (numbers[gl_GlobalInvocationID.x] & 4095u) + 1u, n = 0u; while (v != 1u) { v = (v & 1u) == 0u ? v / 2u : 3u * v + 1u; n++; } result[gl_GlobalInvocationID.x] = n; }
