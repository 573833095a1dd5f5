//! purpose: assignments to elements by indices that are calculated
//! size: 16 16
void main() {
  float a[4]; a[0] = 0.0; a[1] = 1.0; a[2] = 2.0; a[3] = 3.0;
  int i = int(mod(IJ.x, 4.0)), j = int(mod(IJ.y, 4.0));
  a[i] = 10.0; a[j] += 5.0;
  gl_FragColor = vec4(a[0], a[1], a[2], a[3]);
}
