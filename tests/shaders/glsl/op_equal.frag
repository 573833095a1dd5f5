//! purpose: equality of scalars and of whole vectors
//! size: 16 16
void main() {
  vec2 a = floor(IJ / 4.0), b = a.yx;
  float same = a == b ? 1.0 : 0.0, other = a != b ? 1.0 : 0.0;
  float s = a.x == b.x ? 0.5 : 0.25, t = a.y != 2.0 ? 0.5 : 0.25;
  gl_FragColor = vec4(same, other, s, t);
}
