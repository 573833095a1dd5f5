//! purpose: coordinates from a texel
//! size: 16 16
//! texture: map unit 16 16
//! texture: image random1 16 16
uniform sampler2DRect map, image;
void main() { vec2 at = floor(texture2DRect(map, IJ + 0.5).xy * 15.0); gl_FragColor = texture2DRect(image, at + 0.5); }
