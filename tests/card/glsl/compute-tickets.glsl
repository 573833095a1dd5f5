// A counter whose tickets are all different: what each thread got is marked.
//// compute 8
#version 430
layout(local_size_x = 256) in;
layout(binding = 0, std430) buffer Result { uint result[4096]; };
layout(binding = 1, std430) readonly buffer Numbers { uint numbers[4096]; };
void main() { uint t = atomicAdd(result[0], 1u); result[t] += 1u; }
