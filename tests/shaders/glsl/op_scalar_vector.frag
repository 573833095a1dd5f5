//! purpose: operators between scalars and vectors, on both sides
//! size: 16 16
void main() {
  vec2 p = IJ / 16.0 + 1.0;
  vec4 a = 2.0 * vec4(p, p.yx) + 1.0;
  vec4 b = 1.0 - a / 4.0;
  vec4 c = 3.0 / a;
  gl_FragColor = p.x * b + c - p.y;
}
