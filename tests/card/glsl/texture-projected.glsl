// Coordinates that are divided.
//// tolerance 2 16
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0) uniform sampler2D t;
void main() { float q = 0.5 + place.y; colour = textureProj(t, vec3(place, q)) * 0.5 + textureProjLod(t, vec4(place.yx, 0, q), 1) * 0.5; }
