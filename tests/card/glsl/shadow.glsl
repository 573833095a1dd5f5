// Comparison with a texture of depths.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 4) uniform sampler2DShadow t;
void main() { float s = texture(t, vec3(place, 0.4)), o = textureOffset(t, vec3(place, 0.6), ivec2(2, 1)), l = textureLod(t, vec3(place.yx, place.x), 0); colour = vec4(s, o, l, textureProj(t, vec4(place, 0.5, 1))); }
