// The level that a texture would have.
//// tolerance 3 16
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { colour = vec4(textureQueryLod(t, place * place * 6) * 0.25, textureQueryLevels(t) / 8.0, 1); }
