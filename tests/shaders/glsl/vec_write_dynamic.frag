//! purpose: assignments to components by indices that are calculated
//! size: 16 16
void main() {
  vec4 v = vec4(0.5);
  int i = int(mod(IJ.x, 4.0)), j = int(mod(IJ.y, 4.0));
  v[i] = 1.0; v[j] += 2.0;
  gl_FragColor = v;
}
