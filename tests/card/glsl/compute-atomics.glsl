// All atomic operations that do not depend on an order.
//// compute 4
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { uint v = numbers[gl_GlobalInvocationID.x]; atomicAdd(result[1], v & 255u); atomicMin(result[2], v); atomicMax(result[3], v); atomicOr(result[4], 1u << (v & 31u)); atomicXor(result[5], v); atomicAnd(result[6], v); }
