// Arrays of arrays, with indices that are known late.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

const float weights[3][4] = float[3][4](float[4](0.1, 0.9, 0.4, 0.3), float[4](0.2, 0.1, 0.8, 0.5), float[4](0.7, 0.6, 0.2, 1.0));
void main() { float own[8]; for (int n = 0; n < 8; n++) own[n] = fract(place.x * n); int k = int(place.y * 7.99); own[k] += 0.25; own[(k * 3) & 7] *= 0.5; colour = vec4(own[int(place.x * 7.99)], weights[k % 3][k / 2], own[k ^ 1], weights[int(place.x * 2.99)][k & 3]); }
