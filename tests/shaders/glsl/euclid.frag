//! purpose: the greatest common divisor
//! size: 64 64
void main() {
  float a = IJ.x + 1.0, b = IJ.y * 3.0 + 1.0, steps = 0.0;
  while (b > 0.5) {
    float r = a - b * floor(a / b + 0.0001); a = b; b = r; steps += 1.0;
  }
  gl_FragColor = vec4(a, steps, IJ);
}
