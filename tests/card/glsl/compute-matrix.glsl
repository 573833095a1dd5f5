// A tiled matrix product of 32 x 32.
//// compute 4
#version 430
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
shared float a[16][16], b[16][16];
void main() { uvec2 l = gl_LocalInvocationID.xy; uint row = gl_WorkGroupID.x / 2u * 16u + l.y, column = gl_WorkGroupID.x % 2u * 16u + l.x; float sum = 0; for (uint t = 0u; t < 2u; t++) { a[l.y][l.x] = float(numbers[row * 32u + t * 16u + l.x] & 15u); b[l.y][l.x] = float(numbers[1024u + (t * 16u + l.y) * 32u + column] & 15u); barrier(); for (uint k = 0u; k < 16u; k++) sum += a[l.y][k] * b[k][l.x]; barrier(); } result[row * 32u + column] = uint(sum); }
