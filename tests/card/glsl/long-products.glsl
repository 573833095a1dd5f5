// umulExtended, imulExtended, uaddCarry, usubBorrow.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    uint u = uint(gl_FragCoord.x) * 2654435761u, v = uint(gl_FragCoord.y) * 40503u + 77u, high, low, carry, borrow;
    umulExtended(u, v, high, low);
    int shigh, slow; imulExtended(int(u), -int(v), shigh, slow);
    uint sum = uaddCarry(u, u ^ v, carry), rest = usubBorrow(u, v * 65537u, borrow);
    colour = vec4((high ^ low) & 255u, (shigh ^ slow) & 255, (sum ^ rest) & 255u, carry * 128u + borrow * 64u) / 255.0;
}
