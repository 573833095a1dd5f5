// Levels by given derivatives.
//// tolerance 3 16
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { colour = textureGrad(t, place, vec2(place.x * 0.2, 0.01), vec2(0.005, place.y * 0.1)); }
