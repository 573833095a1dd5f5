// pow, exp, log, exp2, log2, sqrt, inversesqrt.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { vec2 x = place * 3 + 0.05; colour = vec4(pow(x.x, x.y) * 0.03, exp(x.x - 3), log(x.y) * 0.2 + 0.6, sqrt(x.x) * 0.3 + inversesqrt(x.y) * 0.05) + vec4(exp2(-x.y), log2(x.x + 1), 0, 0) * 0.2; }
