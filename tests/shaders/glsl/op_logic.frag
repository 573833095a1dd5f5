//! purpose: and, or, exclusive or, not
//! size: 16 16
void main() {
  bool a = IJ.x > 7.0, b = IJ.y > 5.0, c = mod(IJ.x, 2.0) < 0.5;
  gl_FragColor = vec4(a && b ? 1.0 : 0.0, a || b && c ? 1.0 : 0.0, a ^^ b ? 1.0 : 0.0, !(a && !c) ? 1.0 : 0.0);
}
