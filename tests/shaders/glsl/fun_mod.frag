//! purpose: remainders of floats, of either sign
//! size: 16 16
void main() { vec2 p = IJ - 8.0; gl_FragColor = vec4(mod(p, 4.0), mod(p, vec2(4.0, -4.0))) + vec4(mod(p.x * 0.5, 2.0)); }
