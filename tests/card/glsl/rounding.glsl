// floor, ceil, round, roundEven, trunc, fract, mod, modf, sign.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    vec2 x = place * 9 - 4.5 + 0.013; float whole, part = modf(x.x, whole);
    colour = vec4(floor(x.x) + ceil(x.y) + 10, round(x.x) + trunc(x.y) + 10, roundEven(x.y) + sign(x.x) * 2 + whole + 10, mod(x.x, 1.7) * 4 + fract(x.y) * 4 + abs(part)) / 20;
}
