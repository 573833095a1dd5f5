// A rectangle, by texels.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 8) uniform sampler2DRect t;
void main() { colour = texture(t, place * vec2(40, 24)) * 0.5 + texelFetch(t, ivec2(place * vec2(39, 23))) * 0.5; }
