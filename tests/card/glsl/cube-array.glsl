// Layers of cubes.
//// tolerance 2 16
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 9) uniform samplerCubeArray t;
void main() { colour = texture(t, vec4(place * 2 - 1, 0.7, place.x * 2)); }
