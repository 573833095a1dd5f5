// Four generations in shared memory.
//// compute 1
#version 430
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint cells[2][32][32];
void main() { uvec2 l = gl_LocalInvocationID.xy; cells[0][l.y][l.x] = numbers[l.y * 32u + l.x] & 1u; barrier(); for (uint g = 0u; g < 4u; g++) { uint n = 0u; for (uint dy = 31u; dy < 34u; dy++) for (uint dx = 31u; dx < 34u; dx++) if (dx != 32u || dy != 32u) n += cells[g & 1u][(l.y + dy) & 31u][(l.x + dx) & 31u]; uint was = cells[g & 1u][l.y][l.x]; cells[~g & 1u][l.y][l.x] = n == 3u || (n == 2u && was == 1u) ? 1u : 0u; barrier(); } result[l.y * 32u + l.x] = cells[0][l.y][l.x]; }
