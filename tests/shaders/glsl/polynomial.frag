//! purpose: a polynomial in Horner's form, of a vector
//! size: 16 16
void main() {
  vec4 x = vec4(IJ, IJ.yx) / 16.0; vec4 r = vec4(0.3); r = r * x - 0.7; r = r * x + 1.1;
  r = r * x - 0.2; r = r * x + 0.9; gl_FragColor = r * x + 0.05;
}
