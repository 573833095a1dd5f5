//! error: 3 `local_size_x` belongs to compute shaders
#version 430
layout(local_size_x = 8) in;
void main() { }
