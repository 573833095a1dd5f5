// The same with layers, and with cubes.
//// tolerance 2 16
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 10) uniform sampler2DArrayShadow t;
layout(binding = 11) uniform samplerCubeShadow c;
void main() { colour = vec4(texture(t, vec4(place, 1, 0.5)), texture(c, vec4(place * 2 - 1, 0.9, 0.4)), textureGrad(t, vec4(place, 2, 0.3), vec2(0.01), vec2(0.01)), 1); }
