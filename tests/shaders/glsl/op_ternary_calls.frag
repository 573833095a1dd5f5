//! purpose: only one side of a choice is evaluated
//! size: 16 16
float left = 0.0, right = 0.0;
float first(float x) { left += 1.0; return x * 2.0; }
float second(float x) { right += 1.0; return x * 3.0; }
void main() {
  float a = IJ.x > 7.0 ? first(IJ.x) : second(IJ.y);
  float b = IJ.y > 7.0 ? second(a) : a;
  gl_FragColor = vec4(a, b, left, right);
}
