//! purpose: long sums of products of many vectors
//! size: 16 16
void main() {
  vec4 a = vec4(IJ / 16.0, 0.5, 0.25), b = a.wzyx, c = a * b + 0.5, d = b * c - a, e = c * d + b, f = d * e - c;
  gl_FragColor = a * b + c * d + e * f - (a + c) * (b + d) * (e + f);
}
