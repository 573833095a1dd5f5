//! purpose: a hash by products and fractions
//! size: 64 64
//! tolerance: 2e-2 0.02
float hash(vec2 p) { vec3 q = fract(vec3(p.xyx) * 0.1031); q += dot(q, q.yzx + 33.33); return fract((q.x + q.y) * q.z); }
void main() { gl_FragColor = vec4(hash(IJ), hash(IJ.yx + 7.0), hash(floor(IJ / 4.0)), 1.0); }
