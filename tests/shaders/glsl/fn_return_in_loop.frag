//! purpose: returns from loops
//! size: 16 16
float first(float x) { for (int i = 1; i < 20; i++) { x -= float(i); if (x < 0.0) return float(i); } return 100.0; }
void main() { gl_FragColor = vec4(first(IJ.x * 4.0), first(IJ.y * 30.0), first(IJ.x + IJ.y), 1.0); }
