//! purpose: rotations about three axes, perspective
//! size: 64 64
//! tolerance: 1e-4
mat4 perspective(float f, float n, float z) {
  return mat4(f, 0.0, 0.0, 0.0, 0.0, f, 0.0, 0.0, 0.0, 0.0, (z + n) / (n - z), -1.0, 0.0, 0.0, 2.0 * z * n / (n - z), 0.0);
}
mat4 turned(vec3 a) {
  vec3 s = sin(a), c = cos(a);
  mat4 x = mat4(1.0, 0.0, 0.0, 0.0, 0.0, c.x, s.x, 0.0, 0.0, -s.x, c.x, 0.0, 0.0, 0.0, 0.0, 1.0),
      y = mat4(c.y, 0.0, -s.y, 0.0, 0.0, 1.0, 0.0, 0.0, s.y, 0.0, c.y, 0.0, 0.0, 0.0, 0.0, 1.0),
      z = mat4(c.z, s.z, 0.0, 0.0, -s.z, c.z, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
  return z * y * x;
}
void main() {
  mat4 m = perspective(1.5, 0.1, 10.0) * turned(vec3(IJ / 32.0, 0.5));
  vec4 v = m * vec4(0.5, 0.25, -3.0, 1.0); gl_FragColor = vec4(v.xyz / v.w, v.w);
}
