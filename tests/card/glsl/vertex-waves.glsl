// A vertex program with functions and loops.
//// tolerance 1 4
//// vertex
#version 430
layout(location = 0) in vec2 corner; out vec3 normal;
float height(vec2 p) { float h = 0; for (int n = 1; n < 5; n++) h += sin(p.x * n * 2 + n) * cos(p.y * n) / n; return h * 0.1; }
void main() { float h = height(corner); gl_Position = vec4(corner + vec2(0, h), h, 1); normal = vec3(h - height(corner + vec2(0.01, 0)), h - height(corner + vec2(0, 0.01)), 0.01); }
//// fragment
#version 430
in vec3 normal; out vec4 colour;
void main() { colour = vec4(normalize(normal) * 0.5 + 0.5, 1); }
