//! purpose: powers
//! size: 16 16
//! tolerance: 1e-4
void main() { vec2 p = IJ / 8.0 + 0.125; gl_FragColor = vec4(pow(p.x, p.y), pow(p, vec2(2.0, 0.5)), pow(p.x, 2.2)); }
