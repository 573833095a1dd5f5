//! purpose: five numbers in an array in order
//! size: 64 64
void main() {
  float a[5]; a[0] = mod(IJ.x * 7.0, 11.0); a[1] = IJ.y; a[2] = mod(IJ.x * 3.0 + IJ.y, 8.0); a[3] = 5.0; a[4] = IJ.x;
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4 - i; j++) if (a[j] > a[j + 1]) { float t = a[j]; a[j] = a[j + 1]; a[j
      + 1] = t; }
  gl_FragColor = vec4(a[0], a[1], a[3], a[4]);
}
