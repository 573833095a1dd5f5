// Four texels at a time.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { vec4 r = textureGather(t, place), g = textureGather(t, place * 2, 1), o = textureGatherOffset(t, place, ivec2(2, -1), 3); colour = r * vec4(0.5, 0.25, 0.125, 0.1) + g.wzyx * 0.25 + o * 0.2; }
