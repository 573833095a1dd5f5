// Levels by number, and sizes of levels.
//// tolerance 2 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { colour = textureLod(t, place * 2, place.y * 5); colour.a = float(textureSize(t, int(place.x * 4)).x) / 64; }
