//! purpose: a function drops pixels
//! size: 16 16
void keep(float x) { if (x > 0.5) discard; }
void main() { keep(fract(IJ.x / 3.0)); keep(IJ.y / 20.5); gl_FragColor = vec4(IJ, 0.0, 1.0); }
