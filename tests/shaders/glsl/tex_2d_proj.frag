//! purpose: coordinates from 0 to 1 that are divided
//! size: 16 16
//! texture: image random 16 16
uniform sampler2D image;
void main() { gl_FragColor = texture2DProj(image, vec3((IJ + 0.5) / 8.0, 2.0)); }
