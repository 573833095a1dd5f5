//! purpose: sums, differences and complements in front of products
//! size: 16 16
void main() {
  vec3 a = vec3(IJ / 16.0, 0.5), b = vec3(0.25, IJ.yx / 8.0);
  gl_FragColor = vec4((a - b) * (a + b) + (1.0 - a) * b + (1.0 - 2.0 * b) * a, (1.0 - a.x) * (b.y - a.y));
}
