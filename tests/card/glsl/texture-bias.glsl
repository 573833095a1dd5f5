// The same with a bias.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { colour = texture(t, place * 2, place.x * 3 - 1); }
