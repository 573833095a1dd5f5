//! purpose: components by constant indices
//! size: 16 16
void main() {
  vec4 v = vec4(IJ, 4.0, 5.0); vec3 w;
  w[0] = v[3]; w[1] = v[0] + v[2]; w[2] = v[1];
  v[2] = w[1] * 2.0;
  gl_FragColor = vec4(w, v[2]);
}
