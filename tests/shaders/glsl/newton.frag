//! purpose: Newton's method for a cubic equation, and the root that it finds
//! size: 64 64
//! tolerance: 1e-3 0.05
vec2 times(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
vec2 over(vec2 a, vec2 b) { return vec2(dot(a, b), a.y * b.x - a.x * b.y) / dot(b, b); }
void main() {
  vec2 z = (IJ - 31.5) / 16.0; float steps = 0.0;
  for (int i = 0; i < 24; i++) {
    vec2 square = times(z, z), value = times(square, z) - vec2(1.0, 0.0);
    if (dot(value, value) < 1e-6) break;
    z -= over(value, 3.0 * square); steps += 1.0;
  }
  float root = z.x > 0.0 ? 0.0 : (z.y > 0.0 ? 1.0 : 2.0);
  gl_FragColor = vec4(root, steps, 0.0, 1.0);
}
