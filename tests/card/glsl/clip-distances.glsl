// Clip distances.
//// tolerance 1 0
//// vertex
#version 430
layout(location = 0) in vec2 corner; out vec2 place; out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() { gl_Position = vec4(corner, 0, 1); place = corner * 0.5 + 0.5; gl_ClipDistance[0] = 1; gl_ClipDistance[1] = 1; }
//// fragment
#version 430
in vec2 place; out vec4 colour;
void main() { colour = vec4(place, 1, 1); }
