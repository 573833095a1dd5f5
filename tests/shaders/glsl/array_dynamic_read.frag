//! purpose: an element by an index that is calculated
//! size: 16 16
void main() {
  float a[6]; a[0] = 3.0; a[1] = 1.0; a[2] = 4.0; a[3] = 1.5; a[4] = 9.0; a[5] = IJ.y;
  int i = int(mod(IJ.x, 6.0));
  gl_FragColor = vec4(a[i], a[5 - i], a[int(IJ.y / 4.0)], 1.0);
}
