// Depth is written, and decides between what is drawn.
//// tolerance 1 4
//// vertex
#version 430
layout(location = 0) in vec2 corner; out vec2 place; out float far;
void main() { int cell = gl_VertexID / 6; vec2 p = corner * 1.4; far = float(cell % 7) / 7; gl_Position = vec4(p + 0.2 * sin(float(cell) * vec2(1, 2)), 0, 1); place = corner * 0.5 + 0.5; }
//// fragment
#version 430
in vec2 place; in float far; out vec4 colour;
void main() { gl_FragDepth = far * 0.5 + 0.25 * sin(place.x * 12); colour = vec4(far, place, 1); }
