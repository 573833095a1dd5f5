//! purpose: a texel for each pixel
//! size: 16 16
//! texture: image random 16 16
uniform sampler2DRect image;
void main() { gl_FragColor = texture2DRect(image, IJ + 0.5); }
