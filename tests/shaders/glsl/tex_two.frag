//! purpose: two textures
//! size: 16 16
//! texture: one random 16 16
//! texture: two random1 16 16
uniform sampler2DRect one;
uniform sampler2DRect two;
void main() { vec4 a = texture2DRect(one, IJ + 0.5), b = texture2DRect(two, IJ.yx + 0.5); gl_FragColor = a * b + a.wzyx; }
