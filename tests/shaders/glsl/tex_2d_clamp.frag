//! purpose: coordinates outside of 0 to 1
//! size: 16 16
//! texture: image random 8 8
uniform sampler2D image;
void main() { gl_FragColor = texture2D(image, (IJ - 3.5) / 8.0 + 0.03125); }
