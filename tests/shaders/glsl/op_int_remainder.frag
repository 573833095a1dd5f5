//! purpose: remainders of integers by their quotients
//! size: 16 16
void main() {
  int i = int(IJ.x) * 7 + int(IJ.y), n = 5;
  int r = i - i / n * n, s = i - i / 16 * 16;
  gl_FragColor = vec4(float(r), float(s), float(r * s), float(i));
}
