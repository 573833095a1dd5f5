// Packed numbers: normalised, half precision.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    uint a = packUnorm4x8(vec4(place, place.x * place.y, 0.3)), b = packSnorm2x16(place * 2 - 1), h = packHalf2x16(place * 30), s = packSnorm4x8(vec4(place, -place));
    vec4 both = unpackUnorm4x8(a ^ 0x01020408u) * 0.5 + vec4(unpackSnorm2x16(b) * 0.25 + 0.25, unpackHalf2x16(h) / 60);
    colour = vec4(both.xy, both.zw) * 0.5 + 0.25 * abs(unpackSnorm4x8(s)) + 0.1 * unpackUnorm2x16(packUnorm2x16(place.yx)).xyxy;
}
