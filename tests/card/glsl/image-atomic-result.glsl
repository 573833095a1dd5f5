// What counters held before, of counters of one pixel each.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 1, r32ui) uniform uimage2D counts;
void main() { ivec2 p = ivec2(gl_FragCoord.xy); uint a = imageAtomicAdd(counts, p, uint(p.x)), b = imageAtomicExchange(counts, p, 7u), c = imageAtomicCompSwap(counts, p, 7u, uint(p.y)), d = imageAtomicOr(counts, p, 128u); colour = vec4(a, b * 3u, c * 8u, d) / 255.0; }
