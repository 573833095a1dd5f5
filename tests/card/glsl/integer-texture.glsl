// A texture of unsigned integers.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 5) uniform usampler2D t;
void main() { uvec4 v = texture(t, place), g = textureGather(t, place, 1); colour = vec4(v.xy ^ g.zw, (v.z + g.x) & 255u, v.w) / 255.0; }
