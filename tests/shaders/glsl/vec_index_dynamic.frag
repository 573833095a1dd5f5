//! purpose: components by indices that are calculated
//! size: 16 16
void main() {
  vec4 v = vec4(1.0, 2.0, 4.0, 8.0);
  int i = int(mod(IJ.x, 4.0)), j = int(mod(IJ.y, 3.0));
  float a = v[i]; vec3 w = vec3(IJ, 1.0); float b = w[j];
  gl_FragColor = vec4(a, b, a * b, v[int(IJ.x / 4.0)]);
}
