// A texture, with levels that follow from derivatives.
//// tolerance 3 80
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { colour = texture(t, place * place * 4); }
