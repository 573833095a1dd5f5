// Four samples, a program for each.
//// tolerance 1 4
//// samples 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
void main() { colour = vec4(place, gl_SampleID / 4.0, 1); }
