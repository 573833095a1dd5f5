// sin, cos, tan, asin, acos, atan of both kinds, and hyperbolic ones.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { vec2 x = place * 1.9 - 0.95; colour = vec4(sin(x.x * 9) * cos(x.y * 7), tan(x.x) * 0.2 + asin(x.y) * 0.2, acos(x.x) * 0.2 + atan(x.y * 3) * 0.1, atan(x.x, x.y) * 0.1 + sinh(x.x) * 0.1 + tanh(x.y) * 0.2) * 0.5 + 0.5; colour.r += 0.05 * acosh(1.1 + place.x) + 0.02 * asinh(x.y) + 0.02 * atanh(x.x * 0.9) + 0.02 * cosh(x.y); }
