// Signed and unsigned arithmetic, quotients and rests.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    int a = int(gl_FragCoord.x) - 32, b = int(gl_FragCoord.y) + 1; uint u = uint(a), v = uint(b) * 2654435761u;
    colour = vec4((a * b) & 255, (a / b + 32) & 255, int(u % uint(b)) & 255, int(v >> 24)) / 255.0;
}
