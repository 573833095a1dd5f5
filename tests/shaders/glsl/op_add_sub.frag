//! purpose: sums and differences of scalars and vectors
//! size: 16 16
void main() {
  vec2 p = IJ / 16.0;
  float s = p.x + p.y - 0.25;
  vec3 v = vec3(p, 1.0) + vec3(0.5, -0.5, s);
  vec3 w = v - vec3(p.y, p.x, 0.125);
  gl_FragColor = vec4(w - v.zxy, s);
}
