//! purpose: loops of more passes than a counter of 8 bits has
//! size: 16 16
void main() {
  float n = 0.0, m = 0.0; float limit = 300.0 + IJ.x * 10.0;
  for (float i = 0.0; i < limit; i += 1.0) n += 0.5;
  for (int i = 0; i < 1000; i++) m += 1.0;
  gl_FragColor = vec4(n, m, IJ);
}
