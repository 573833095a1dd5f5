// Numbers as bits, and made of powers: floatBitsToInt, frexp, ldexp.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    int bits = floatBitsToInt(place.x + 1); uint more = floatBitsToUint(place.y * -8 - 0.5); int power; float part = frexp(place.x * 40 + 0.01, power);
    colour = vec4((bits >> 15) & 255, (more >> 16) & 255u, power * 16, part * 200) / 255.0 + ldexp(place.y, -4);
    colour.a = intBitsToFloat(0x3f000000 + (bits & 0x7fffff));
}
