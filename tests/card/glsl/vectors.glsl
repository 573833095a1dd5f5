// dot, cross, length, distance, normalize, reflect, refract, faceforward.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { vec3 a = normalize(vec3(place * 2 - 1, 0.7)), b = normalize(vec3(0.3, place.x, place.y + 0.1)); vec3 r = reflect(a, b), t = refract(a, b, 0.8), f = faceforward(a, b, r), c = cross(a, b); colour = vec4(dot(r, t), length(c), distance(f, b) * 0.4, c.x) * 0.5 + 0.5; }
