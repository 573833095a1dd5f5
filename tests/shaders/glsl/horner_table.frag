//! purpose: polynomials whose coefficients are in an array
//! size: 64 64
//! uniform: k 0.5 -1 0.25 2 -0.125
uniform float k[5];
void main() {
  float x = IJ.x / 32.0 - 1.0, r = 0.0, d = 0.0;
  for (int i = 0; i < 5; i++) { d = d * x + r; r = r * x + k[i]; }
  gl_FragColor = vec4(r, d, x, 1.0);
}
