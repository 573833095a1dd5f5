// A block of uniforms, by an index that is known late.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

layout(binding = 0, std140) uniform Numbers { vec4 numbers[64]; };
void main() { ivec2 p = ivec2(gl_FragCoord.xy); colour = numbers[p.x] * 0.5 + numbers[(p.y * 5 + p.x) & 63].wzyx * 0.5; }
