//! purpose: natural exponentials and logarithms
//! size: 16 16
//! tolerance: 5e-5
void main() { vec2 p = IJ / 8.0; gl_FragColor = vec4(exp(p - 1.0), log(p + 0.5)); }
