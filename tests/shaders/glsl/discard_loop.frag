//! purpose: a loop drops pixels
//! size: 16 16
void main() { float s = 0.0; for (int i = 0; i < 8; i++) { s += IJ.x; if (s > 50.0) discard; } gl_FragColor = vec4(s, IJ, 1.0); }
