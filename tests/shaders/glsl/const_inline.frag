//! purpose: constants that fit into instructions
//! size: 16 16
void main() { vec2 p = IJ; gl_FragColor = vec4(p.x * 0.5 + 1.0, p.y * 2.0 - 0.25, p.x * 3.0 + 480.0, p.y * 0.015625 + 1.625); }
