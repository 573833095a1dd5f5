// Functions with several ends.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

vec3 kind(vec2 point) {
    if (length(point) < 0.3) return vec3(1, 0, 0);
    for (int n = 1; n < 6; n++) if (abs(point.x) * n > 1.1) return vec3(0, n / 6.0, 0);
    return vec3(point.y > 0 ? 0.5 : 0.25);
}
void main() { colour = vec4(kind(place * 2 - 1), 1); }
