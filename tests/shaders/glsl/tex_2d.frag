//! purpose: coordinates from 0 to 1
//! size: 16 16
//! texture: image random 16 16
uniform sampler2D image;
void main() { gl_FragColor = texture2D(image, (IJ + 0.5) / 16.0); }
