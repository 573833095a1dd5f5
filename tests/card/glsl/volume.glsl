// A volume.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 2) uniform sampler3D t;
void main() { colour = texture(t, vec3(place, place.x * place.y)) * 0.5 + textureOffset(t, vec3(place.yx, 0.3), ivec3(1, -1, 2)) * 0.5; }
