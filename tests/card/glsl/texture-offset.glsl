// Offsets in texels.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { colour = textureOffset(t, place * 0.9, ivec2(3, -2)) * 0.5 + textureLodOffset(t, place, 0, ivec2(-4, 5)) * 0.3 + textureGradOffset(t, place, vec2(0.01), vec2(0.01), ivec2(1)) * 0.2; }
