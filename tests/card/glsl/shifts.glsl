// Shifts of signed and unsigned numbers, and logic.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    int a = int(gl_FragCoord.x) * 0x01010101 - 0x20000000; uint u = uint(a); int s = int(gl_FragCoord.y) & 31;
    colour = vec4((a >> s) & 255, (u >> s) & 255u, ((a << s) ^ ~a) & 255, ((u | 0x0fu) & (u << 3)) & 255u) / 255.0;
}
