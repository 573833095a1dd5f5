// Double precision.
//// compute 4
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { uint n = gl_GlobalInvocationID.x; double x = double(numbers[n]) * 1.000001lf, y = x * 3.0000001lf - double(n); result[2u * n] = unpackDouble2x32(y).x; result[2u * n + 1u] = unpackDouble2x32(y).y; }
