// Four texels of an array, and of a cube.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 3) uniform sampler2DArray t;
layout(binding = 1) uniform samplerCube c;
void main() { colour = textureGather(t, vec3(place, floor(place.x * 4)), 1) * 0.5 + textureGather(c, vec3(place * 2 - 1, 0.8)) * 0.5; }
