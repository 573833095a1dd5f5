//! purpose: arithmetic of integers, with quotients rounded towards zero
//! size: 16 16
void main() {
  int i = int(IJ.x) - 8, j = int(IJ.y) + 1;
  int a = i + j * 3 - 2, b = i / j, c = i / 3, d = -i * j;
  gl_FragColor = vec4(a, b, c, d);
}
