// A fractal: lanes leave the loop one by one.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    vec2 c = place * vec2(3, 2.4) - vec2(2.2, 1.2), z = vec2(0); int n = 0;
    while (n < 40 && dot(z, z) < 4) { z = vec2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c; n++; }
    colour = vec4(n % 8 / 7.0, n / 40.0, n == 40 ? 1 : 0, 1);
}
