// Infinities and what is no number.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { float zero = place.x * 0; float inf = 1 / zero, none = zero / zero; colour = vec4(isinf(inf) && place.y > 0.5, isnan(none) && place.x > 0.5, isinf(-log(zero)), !(none == none)) * 0.8; }
