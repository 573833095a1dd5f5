//! purpose: exponentials and logarithms with base 2
//! size: 16 16
void main() { vec2 p = IJ / 4.0; gl_FragColor = vec4(exp2(p - 2.0), log2(p + 0.5)); }
