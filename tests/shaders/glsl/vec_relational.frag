//! purpose: comparisons component by component
//! size: 16 16
void main() {
  vec3 a = vec3(IJ, 5.0), b = vec3(IJ.y, 8.0, IJ.x);
  vec3 c = vec3(lessThan(a, b)) + 2.0 * vec3(lessThanEqual(a, b)) + 4.0 * vec3(greaterThan(a, b));
  vec3 d = vec3(greaterThanEqual(a, b)) + 2.0 * vec3(equal(a, b)) + 4.0 * vec3(notEqual(a, b));
  gl_FragColor = vec4(c + 8.0 * d, dot(vec2(lessThan(ivec2(IJ), ivec2(4, 9))), vec2(1.0, 2.0)));
}
