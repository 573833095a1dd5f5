// Fragments are thrown away, some of each quad.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { vec2 p = gl_FragCoord.xy; if (mod(p.x + floor(p.y / 3), 5) < 1.5) discard; float w = fwidth(place.x * place.x); colour = vec4(place, w * 20, 1); }
