// A vertex program that samples textures.
//// tolerance 1 4
//// vertex
#version 430
layout(location = 0) in vec2 corner; out vec4 seen; layout(binding = 0) uniform sampler2D picture;
void main() { gl_Position = vec4(corner, 0, 1); seen = textureLod(picture, corner * 0.5 + 0.5, 1.5) * 0.5 + texelFetch(picture, ivec2(corner * 20 + 30), 0) * 0.5; }
//// fragment
#version 430
in vec4 seen; out vec4 colour;
void main() { colour = seen; }
