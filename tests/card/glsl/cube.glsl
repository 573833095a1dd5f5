// A cube map.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 1) uniform samplerCube t;
void main() { vec2 p = place * 6.28; colour = texture(t, vec3(cos(p.x) * cos(p.y), sin(p.y), sin(p.x) * cos(p.y))); }
