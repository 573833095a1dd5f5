//! purpose: products and quotients of scalars and vectors
//! size: 16 16
void main() {
  vec2 p = IJ / 16.0 + 0.5;
  vec3 v = vec3(p, 2.0) * vec3(3.0, p.y, p.x);
  vec3 q = v / vec3(p.yx, 4.0);
  gl_FragColor = vec4(q * 0.5, 1.0 / (p.x * p.y));
}
