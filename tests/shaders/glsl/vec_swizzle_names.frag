//! purpose: the three sets of names of components
//! size: 16 16
void main() {
  vec4 v = vec4(IJ / 16.0, 0.5, 1.0);
  gl_FragColor = vec4(v.rg + v.xy, v.st - v.ab) + v.bgra * v.qpts;
}
