// Interpolation at the centroid and at offsets.
//// tolerance 1 0
//// vertex
#version 430
layout(location = 0) in vec2 corner; out vec2 place; centroid out vec2 middle;
void main() { gl_Position = vec4(corner, 0, 1); place = corner * 0.5 + 0.5; middle = place; }
//// fragment
#version 430
#extension GL_ARB_gpu_shader5 : enable
in vec2 place; centroid in vec2 middle; out vec4 colour;
void main() { vec2 o = interpolateAtOffset(place, vec2(0.25, -0.25)) - place, c = interpolateAtCentroid(place); colour = vec4(middle, o * 30 + 0.5) * 0.5 + vec4(c, 0, 0.5) * 0.5; }
