// A picture of where pixels are.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;
void main() { colour = vec4(place, 0.5, 1); }
