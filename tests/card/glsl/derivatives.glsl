// dFdx, dFdy and fwidth of something curved.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { float v = sin(place.x * 20) * cos(place.y * 15); colour = vec4(dFdx(v) * 3 + 0.5, dFdy(v) * 3 + 0.5, fwidth(v) * 2, 1); }
