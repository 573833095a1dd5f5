//! purpose: choices between vectors
//! size: 16 16
void main() {
  vec4 a = vec4(IJ, 1.0, 2.0), b = vec4(3.0, IJ.yx, 4.0);
  vec4 c = IJ.x > 5.0 ? a : b;
  c.xy = IJ.y > 9.0 ? c.yx : c.xy;
  gl_FragColor = c;
}
