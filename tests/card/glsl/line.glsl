// A texture of one dimension.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 6) uniform sampler1D t;
void main() { colour = texture(t, place.x * 2 + place.y) * 0.5 + texelFetch(t, int(place.y * 31), 0) * 0.5; }
