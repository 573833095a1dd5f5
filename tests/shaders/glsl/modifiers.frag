//! purpose: doubles, halves, negatives and absolute values of results and sources
//! size: 16 16
void main() {
  vec3 a = vec3(IJ / 8.0 - 1.0, 0.5);
  gl_FragColor = vec4(2.0 * (a * a.yzx + 0.25) - abs(-abs(a)) * 0.5, clamp(4.0 * dot(a, a), 0.0, 1.0) + (a.x * a.y) / 8.0);
}
