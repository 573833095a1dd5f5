// Bytes and halves of words.
//// compute 16
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { uint v = numbers[gl_GlobalInvocationID.x]; uint h = packHalf2x16(vec2(v & 255u, v >> 8 & 255u) / 16.0); result[gl_GlobalInvocationID.x] = h ^ bitfieldReverse(v) ^ packUnorm4x8(unpackUnorm4x8(v).wzyx); }
