//! purpose: conditions that calculate
//! size: 16 16
bool inside(vec2 p) { vec2 q = p - 8.0; return dot(q, q) < 36.0; }
void main() {
  float n = 0.0; vec2 p = IJ;
  while (inside(p) && n < 20.0) { p += vec2(1.0, 0.5); n += 1.0; }
  gl_FragColor = vec4(p, n, inside(IJ) ? 1.0 : 0.0);
}
