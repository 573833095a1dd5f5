// A switch with cases that fall through, in a loop.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() {
    vec3 found = vec3(0);
    for (int n = 0; n < 4; n++) switch (int(place.x * 8) + n) {
        case 0: found.r += 0.25; break;
        case 1: case 2: found.g += 0.25;
        case 3: found.b += 0.125; break;
        case 5: if (place.y > 0.5) { found.r += 0.5; break; } found.g += 0.1; break;
        default: found += 0.0625;
    }
    colour = vec4(found, 1);
}
