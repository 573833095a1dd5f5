// Four texels, each with an offset of its own.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
const ivec2 offsets[4] = ivec2[4](ivec2(-3, 2), ivec2(5, 0), ivec2(1, -6), ivec2(0, 4));
void main() { colour = textureGatherOffsets(t, place, offsets, 0); }
