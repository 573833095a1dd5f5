// A texture over a buffer.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 7) uniform samplerBuffer t;
void main() { ivec2 p = ivec2(gl_FragCoord.xy); colour = texelFetch(t, p.y * 64 + p.x); colour.a = float(textureSize(t)) / 8192; }
