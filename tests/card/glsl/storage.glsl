// A storage buffer that is read.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

layout(binding = 1, std430) readonly buffer Words { uint words[]; };
void main() { ivec2 p = ivec2(gl_FragCoord.xy); uint w = words[(p.y * 64 + p.x) & 4095]; colour = vec4(w & 255u, w >> 8 & 255u, w >> 16 & 255u, words.length() / 32) / 255.0; }
