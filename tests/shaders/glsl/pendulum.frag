//! purpose: an angle after many steps
//! size: 64 64
//! tolerance: 1e-3
void main() {
  float a = IJ.x / 32.0, v = IJ.y / 64.0;
  for (int i = 0; i < 30; i++) { v -= sin(a) * 0.05; a += v * 0.05; }
  gl_FragColor = vec4(a, v, 0.5 * v * v - cos(a), 1.0);
}
