// Attributes with perspective, and without.
//// tolerance 2 60
//// vertex
#version 430
layout(location = 0) in vec2 corner; out vec2 place; noperspective out vec2 straight;
void main() { float w = 1.5 + corner.y * 0.6; gl_Position = vec4(corner, 0, w); place = corner; straight = corner; }
//// fragment
#version 430
in vec2 place; noperspective in vec2 straight; out vec4 colour;
void main() { colour = vec4(fract(place * 4), fract(straight * 4)); }
