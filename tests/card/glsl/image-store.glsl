// An image that is written.
//// tolerance 1 0
//// show 0
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0, rgba8) uniform image2D picture;
void main() { ivec2 p = ivec2(gl_FragCoord.xy); imageStore(picture, ivec2(63 - p.x, p.y), vec4(place, 0.3, 1)); colour = vec4(0); }
