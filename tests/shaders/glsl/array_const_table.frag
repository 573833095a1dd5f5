//! purpose: a constant table by an index that is calculated
//! size: 16 16
const float table[8] = float[8](0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0);
void main() {
  int i = int(mod(IJ.x, 8.0)), j = int(mod(IJ.y, 8.0));
  gl_FragColor = vec4(table[i], table[j], table[i] - table[j], table[3]);
}
