//! purpose: blocks of one colour
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
void main() { vec2 block = floor(IJ / 5.0) * 5.0 + 2.5; gl_FragColor = texture2DRect(image, block); }
