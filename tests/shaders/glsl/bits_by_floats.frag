//! purpose: exclusive or of whole numbers without bits
//! size: 64 64
void main() {
  float a = IJ.x, b = IJ.y, r = 0.0, s = 0.0, w = 1.0;
  for (int i = 0; i < 6; i++) {
    float p = mod(a, 2.0), q = mod(b, 2.0); r += abs(p - q) * w; s += p * q * w; a = floor(a * 0.5);
    b = floor(b * 0.5); w *= 2.0;
  }
  gl_FragColor = vec4(r, s, r + s, 1.0);
}
