//! purpose: a loop changes its counter
//! size: 16 16
void main() {
  float n = 0.0; int last = 0;
  for (int i = 0; i < 40; i++) { if (float(i) > IJ.x) i += 3; n += 1.0; last = i; }
  gl_FragColor = vec4(n, float(last), IJ);
}
