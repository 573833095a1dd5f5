//! purpose: changes of parameters stay inside
//! size: 16 16
float halves(float x) { float n = 0.0; for (int i = 0; i < 6; i++) if (x > 1.0) { x *= 0.5; n += 1.0; } return n; }
void main() { float x = IJ.x + IJ.y; float n = halves(x); gl_FragColor = vec4(x, n, halves(x * 4.0), 1.0); }
