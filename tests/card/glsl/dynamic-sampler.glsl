// A sampler of an array, by index.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t[1];
uniform int which;
void main() { colour = texture(t[which], place); }
