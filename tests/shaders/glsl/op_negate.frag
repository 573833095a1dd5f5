//! purpose: negation of scalars, vectors and expressions
//! size: 16 16
void main() {
  vec2 p = IJ / 8.0 - 1.0;
  float a = -p.x;
  vec2 v = -(p + vec2(a, -a));
  gl_FragColor = vec4(-v, -(-a), +p.y);
}
