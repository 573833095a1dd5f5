//! purpose: texels far outside
//! size: 16 16
//! texture: image random 8 8
uniform sampler2DRect image;
void main() { gl_FragColor = texture2DRect(image, (IJ - 8.0) * 4.0 + 0.5); }
