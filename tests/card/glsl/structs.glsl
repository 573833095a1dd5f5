// Structures in structures, arrays of them, and comparison of both.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

struct Lamp { vec3 at; float power; };
struct Room { Lamp lamps[3]; vec4 tint; };
float lit(Room room, vec3 point) {
    float all = 0;
    for (int n = 0; n < room.lamps.length(); n++) all += room.lamps[n].power / (1 + dot(point - room.lamps[n].at, point - room.lamps[n].at));
    return all;
}
void main() {
    Room room = Room(Lamp[3](Lamp(vec3(0.2, 0.2, 0), 0.3), Lamp(vec3(0.8, 0.3, 0), 0.4), Lamp(vec3(0.5, 0.9, 0.2), 0.2)), vec4(1, 0.8, 0.6, 1));
    Room other = room; other.lamps[1].power *= place.x > 0.5 ? 1.0 : 0.5;
    colour = lit(other, vec3(place, 0)) * room.tint;
    if (other == room) colour.b += 0.2;
}
