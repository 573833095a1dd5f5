// Four comparisons.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 4) uniform sampler2DShadow t;
void main() { colour = textureGather(t, place, place.x * 0.9) * vec4(0.5, 0.25, 0.2, 0.3) + textureGatherOffset(t, place, 0.5, ivec2(-2, 3)) * 0.25; }
