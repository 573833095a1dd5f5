//! purpose: matrices by vectors
//! size: 16 16
void main() {
  vec2 p = IJ / 16.0;
  mat2 m = mat2(1.0, 2.0, 3.0, 4.0); mat3 n = mat3(p.x, 1.0, 0.0, 0.5, p.y, 2.0, 1.0, 0.0, 1.0);
  vec2 a = m * p; vec3 b = n * vec3(p, 1.0);
  gl_FragColor = vec4(a + b.xy, b.z, a.x * a.y);
}
