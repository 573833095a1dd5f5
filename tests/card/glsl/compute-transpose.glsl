// A transposed tile, with padding.
//// compute 4
#version 430
layout(local_size_x = 32, local_size_y = 8) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared uint tile[32][33];
void main() { uvec2 l = gl_LocalInvocationID.xy; uint base = gl_WorkGroupID.x * 1024u; for (uint k = 0u; k < 32u; k += 8u) tile[l.y + k][l.x] = numbers[base + (l.y + k) * 32u + l.x]; barrier(); for (uint k = 0u; k < 32u; k += 8u) result[base + (l.y + k) * 32u + l.x] = tile[l.x][l.y + k]; }
