//! purpose: inverse tangents of one number
//! size: 16 16
//! tolerance: 1e-4
void main() { vec2 p = (IJ - 8.0) * 0.5; gl_FragColor = vec4(atan(p), atan(p.x * p.y), 1.0); }
