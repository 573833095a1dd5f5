// The same in a loop.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { float v = place.x; for (int n = 0; n < 6; n++) { v = v * 1.7 + place.y * 0.3; if (v > 3) { if (n == 3) discard; v -= 3; } } colour = vec4(v / 3, place.y, 0, 1); }
