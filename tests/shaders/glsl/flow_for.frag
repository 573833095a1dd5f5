//! purpose: a loop with a constant count
//! size: 16 16
void main() { float s = 0.0; for (int i = 0; i < 5; i++) s = s * 0.5 + IJ.x * float(i); gl_FragColor = vec4(s, IJ, 1.0); }
