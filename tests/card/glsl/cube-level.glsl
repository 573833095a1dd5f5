// A cube map, by level and by derivatives.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 1) uniform samplerCube t;
void main() { vec3 d = vec3(place * 2 - 1, 0.6); colour = textureLod(t, d, 0) * 0.5 + textureGrad(t, d.zxy, vec3(0.01), vec3(0.01)) * 0.5; }
