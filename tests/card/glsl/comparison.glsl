// Comparison of vectors, any, all and not.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { vec3 a = vec3(place, 0.4), b = vec3(0.5, place.x, place.y); bvec3 l = lessThan(a, b), g = greaterThanEqual(a, b.zxy); ivec2 i = ivec2(place * 5); colour = vec4(any(l), all(g), any(not(l)), any(equal(i, ivec2(2, 3)))) * 0.75 + vec4(notEqual(i, i.yx), lessThanEqual(a.xy, b.xy)) * 0.25; }
