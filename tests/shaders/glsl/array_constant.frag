//! purpose: an array with constant indices
//! size: 16 16
void main() {
  float a[4]; a[0] = IJ.x; a[1] = IJ.y; a[2] = a[0] + a[1]; a[3] = a[2] * 2.0;
  gl_FragColor = vec4(a[3], a[2], a[1], a[0]);
}
