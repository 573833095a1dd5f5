//! purpose: construction of arrays, and their lengths
//! size: 16 16
void main() {
  float a[3] = float[3](1.0, 2.0, IJ.x); vec2 b[2] = vec2[](IJ, IJ.yx);
  gl_FragColor = vec4(a[0] + a[2], b[1], float(a.length() + b.length()));
}
