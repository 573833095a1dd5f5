//! purpose: a column by an index that is calculated
//! size: 16 16
void main() {
  mat4 m = mat4(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0);
  int i = int(mod(IJ.x, 4.0));
  gl_FragColor = m[i] + vec4(m[int(IJ.y / 4.0)][i]) * 0.5;
}
