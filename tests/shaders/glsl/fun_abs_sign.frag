//! purpose: absolute values and signs
//! size: 16 16
void main() { vec2 p = IJ - 8.0; gl_FragColor = vec4(abs(p), sign(p)); }
