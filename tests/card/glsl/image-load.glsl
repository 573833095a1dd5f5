// An image that is written and read by its own pixel.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;
layout(binding = 0, rgba8) coherent uniform image2D picture;
void main() { ivec2 p = ivec2(gl_FragCoord.xy); imageStore(picture, p, vec4(place, 0.3, 1)); vec4 v = imageLoad(picture, p); colour = v.wzyx * 0.5 + vec2(imageSize(picture)).xyxy / 256; }
