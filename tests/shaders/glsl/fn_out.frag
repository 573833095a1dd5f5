//! purpose: parameters that give results
//! size: 16 16
void split(float x, out float whole, out float part) { whole = floor(x); part = x - whole; }
void main() {
  float a, b, c, d; split(IJ.x * 0.3, a, b); split(IJ.y * 0.7, c, d);
  gl_FragColor = vec4(a, b, c, d);
}
