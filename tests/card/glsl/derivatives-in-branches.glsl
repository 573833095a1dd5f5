// Derivatives where quads diverge later.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { vec2 d = vec2(dFdx(place.x), dFdy(place.y)) * 64; float v = place.x * place.y; if (place.x > 0.37) { v = d.x * 0.5; } else if (place.y > 0.61) v = d.y * 0.25; colour = vec4(v, d * 0.5, 1); }
