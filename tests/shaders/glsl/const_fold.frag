//! purpose: expressions of constants only
//! size: 16 16
void main() {
  float a = sin(0.0) + pow(2.0, 3.0) * max(1.0, 2.0);
  vec2 b = vec2(3.0, 4.0) / length(vec2(3.0, 4.0));
  gl_FragColor = vec4(IJ + b, a, cos(0.0) - float(7 / 2));
}
