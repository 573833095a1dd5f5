//! purpose: equality of structures
//! size: 16 16
struct Pair { vec2 a; float b; };
void main() {
  Pair p = Pair(floor(IJ / 8.0), 1.0), q = Pair(vec2(1.0, 0.0), 1.0);
  gl_FragColor = vec4(p == q ? 1.0 : 0.0, p != q ? 1.0 : 0.0, p.a);
}
