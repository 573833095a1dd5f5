//! purpose: a loop in a loop
//! size: 16 16
void main() {
  float s = 0.0;
  for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) s += float(i * j) + IJ.x * float(j);
  gl_FragColor = vec4(s, IJ, 1.0);
}
