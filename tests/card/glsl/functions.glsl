// Functions that call functions, with parameters of all directions.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

float squared(float x) { return x * x; }
void turned(in float angle, inout vec2 point, out float length_of) {
    float s = sin(angle), c = cos(angle);
    point = mat2(c, s, -s, c) * point;
    length_of = sqrt(squared(point.x) + squared(point.y));
}
float sum(float values[4]) { float all = 0; for (int n = 0; n < 4; n++) all += values[n]; return all; }
void main() {
    vec2 point = place * 2 - 1; float size;
    turned(1.25, point, size);
    colour = vec4(abs(point), size * 0.5, sum(float[](point.x, point.y, 0.25, 0.5)) * 0.25 + 0.5);
}
