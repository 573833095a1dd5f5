// Attributes of the provoking vertex, numbers of primitives.
//// tolerance 1 0
//// vertex
#version 430
layout(location = 0) in vec2 corner; flat out ivec3 number;
void main() { gl_Position = vec4(corner, 0, 1); number = ivec3(gl_VertexID, gl_VertexID * 7, 200); }
//// fragment
#version 430
flat in ivec3 number; out vec4 colour;
void main() { colour = vec4(number.x % 16 * 16, number.y & 255, gl_PrimitiveID * 3 % 256, number.z) / 255.0; }
