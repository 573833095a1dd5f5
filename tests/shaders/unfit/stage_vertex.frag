//! error: 4 `gl_Position` belongs to vertex shaders
#version 330
in vec3 p;
void main() { gl_Position = vec4(p, 1.0); }
