// Front faces and back faces.
//// tolerance 1 4
//// vertex
#version 430
layout(location = 0) in vec2 corner; out vec2 place;
void main() { int v = gl_VertexID % 6; vec2 c = (gl_VertexID / 6) % 2 == 0 ? corner : vec2(-corner.x, corner.y); gl_Position = vec4(c, 0, 1); place = corner * 0.5 + 0.5; }
//// fragment
#version 430
in vec2 place; out vec4 colour;
void main() { colour = gl_FrontFacing ? vec4(place, 0, 1) : vec4(0, place, 1); }
