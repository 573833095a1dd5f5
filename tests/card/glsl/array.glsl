// Layers of an array.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 3) uniform sampler2DArray t;
void main() { colour = texture(t, vec3(place * 2, place.y * 5 - 0.5)) * 0.5 + texelFetch(t, ivec3(place * 15, 2), 0) * 0.5; colour.b += textureSize(t, 0).z * 0.05; }
