// A mask of samples.
//// tolerance 1 4
//// samples 4
//// fragment
#version 430
in vec2 place; out vec4 colour;
void main() { gl_SampleMask[0] = int(place.x * 15.99); colour = vec4(1, place.y, 0.5, 1); }
