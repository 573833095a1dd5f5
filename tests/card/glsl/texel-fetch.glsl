// Texels by number, of levels and with offsets.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { ivec2 p = ivec2(gl_FragCoord.xy); colour = texelFetch(t, p, 0) * 0.5 + texelFetch(t, p / 4, 2) * 0.25 + texelFetchOffset(t, p / 2, 1, ivec2(1, 0)) * 0.25; }
