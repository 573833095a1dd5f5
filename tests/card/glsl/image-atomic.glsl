// An image that is counted in.
//// tolerance 1 0
//// show 0
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 1, r32ui) uniform uimage2D counts; layout(binding = 0, rgba8) uniform image2D picture;
void main() { ivec2 p = ivec2(gl_FragCoord.xy); imageAtomicAdd(counts, p / 8, 1u); imageAtomicMax(counts, p / 8 + 16, uint(p.x + p.y)); colour = vec4(place, 0, 1); imageStore(picture, p, colour.bgra); }
