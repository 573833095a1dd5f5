//! purpose: a texture that is smaller than the picture
//! size: 16 16
//! texture: image random 8 4
uniform sampler2D image;
void main() { gl_FragColor = texture2D(image, (IJ + 0.5) / 16.0) + texture2D(image, (IJ.yx + 0.5) / 16.0).wzyx; }
