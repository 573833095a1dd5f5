// Blocks with three axes.
//// compute 4
#version 430
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { uvec3 l = gl_LocalInvocationID; result[gl_WorkGroupID.x * 64u + gl_LocalInvocationIndex] = l.x + 10u * l.y + 100u * l.z + 1000u * gl_WorkGroupSize.y; }
