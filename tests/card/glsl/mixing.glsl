// mix, step, smoothstep, clamp, min, max.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { colour = mix(vec4(1, 0, 0.2, 1), vec4(0, 0.8, 1, 0.5), smoothstep(0.2, 0.9, place.x)); colour.g = step(0.5, place.y) * 0.5 + clamp(place.x * 2 - 0.5, 0, 1) * 0.25; colour.b = max(min(place.x, 0.6), place.y); colour.a = mix(0.2, 0.7, place.x > place.y); }
