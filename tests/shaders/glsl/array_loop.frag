//! purpose: an array that a loop fills and another reads
//! size: 16 16
void main() {
  float a[8];
  for (int i = 0; i < 8; i++) a[i] = IJ.x * float(i) + IJ.y;
  float sum = 0.0, most = 0.0;
  for (int i = 0; i < 8; i++) { sum += a[i]; most = max(most, a[7 - i]); }
  gl_FragColor = vec4(sum, most, a[3], a[5]);
}
