//! purpose: waves whose places are waves
//! size: 64 64
//! tolerance: 2e-4
vec2 warp(vec2 p) { return p + vec2(sin(p.y * 2.0 + 1.0), cos(p.x * 3.0 - 0.5)) * 0.3; }
void main() { vec2 p = IJ / 20.0; for (int i = 0; i < 4; i++) p = warp(p); gl_FragColor = vec4(sin(p * 3.0) * 0.5 + 0.5, p); }
