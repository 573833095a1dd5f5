//! purpose: a sampler as a parameter
//! size: 16 16
//! texture: one random 16 16
//! texture: two random1 16 16
uniform sampler2DRect one, two;
vec4 both(sampler2DRect image, vec2 p) { return texture2DRect(image, p) + texture2DRect(image, p.yx); }
void main() { gl_FragColor = both(one, IJ + 0.5) - both(two, IJ + 0.5) * 0.5; }
