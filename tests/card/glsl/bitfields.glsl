// bitfieldExtract, bitfieldInsert, bitfieldReverse, bitCount, findLSB, findMSB.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    int a = int(gl_FragCoord.x) * 123457 - 400000; uint u = uint(gl_FragCoord.y) * 2654435761u + uint(a);
    int field = bitfieldExtract(a, 3, 7) + int(bitfieldExtract(u, 9, 5));
    uint put = bitfieldInsert(u, uint(a), 5, 11) ^ bitfieldReverse(u);
    colour = vec4(field & 255, put >> 24, bitCount(a) + bitCount(u) * 2, findLSB(a | 256) + findMSB(u | 1u) * 3 + findMSB(a)) / 255.0;
}
