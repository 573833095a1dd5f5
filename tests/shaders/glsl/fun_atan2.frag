//! purpose: inverse tangents of two numbers
//! size: 16 16
//! tolerance: 1e-4
void main() { vec2 p = IJ - 7.5; gl_FragColor = vec4(atan(p.y, p.x), atan(p, p.yx + 0.25), atan(p.x, 2.0)); }
