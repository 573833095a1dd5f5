// A sum of products.
//// compute 16
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { uint n = gl_GlobalInvocationID.x; float x = float(numbers[n] & 0xffffu), y = float(n) * 0.5; result[n] = floatBitsToUint(2.5 * x + y); }
