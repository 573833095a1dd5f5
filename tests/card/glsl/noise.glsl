// Noise out of hashes of integers.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

float hash(ivec2 p) { uint h = uint(p.x) * 374761393u + uint(p.y) * 668265263u; h = (h ^ h >> 13) * 1274126177u; return float((h ^ h >> 16) & 0xffffu) / 65535.0; }
float noise(vec2 p) { ivec2 i = ivec2(floor(p)); vec2 f = smoothstep(0.0, 1.0, fract(p)); return mix(mix(hash(i), hash(i + ivec2(1, 0)), f.x), mix(hash(i + ivec2(0, 1)), hash(i + 1), f.x), f.y); }
void main() { float v = 0, a = 0.5; vec2 p = place * 5; for (int n = 0; n < 5; n++) { v += noise(p) * a; p = p * 2.03 + 7; a *= 0.5; } colour = vec4(v, v * v, 1 - v, 1); }
