//! purpose: tangents
//! size: 16 16
//! tolerance: 2e-4
void main() { vec2 p = (IJ - 7.5) * 0.09; gl_FragColor = vec4(tan(p), tan(p.x * p.y), 1.0); }
