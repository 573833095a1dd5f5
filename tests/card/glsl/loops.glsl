// Loops of all kinds, with breaks and continues.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    int steps = int(place.x * 12), sum = 0, n = 0;
    for (int k = 0; k < steps; k++) { if (k % 3 == 1) continue; if (k > 9) break; sum += k; }
    while (n < 20) { n += 3; if (n > int(place.y * 20)) break; }
    do { sum++; n++; } while (n < 10);
    for (int i = 0; i < 3; i++) for (int j = 0; j < steps; j++) { if (j > i * 4) break; sum += i ^ j; }
    colour = vec4(sum & 63, n, steps, 32) / 64.0;
}
