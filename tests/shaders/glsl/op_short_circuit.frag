//! purpose: the right side of && and || is evaluated only if it decides
//! size: 16 16
float calls = 0.0;
bool count(bool answer) { calls += 1.0; return answer; }
void main() {
  bool a = IJ.x > 7.0, b = IJ.y > 7.0;
  float both = a && count(b) ? 1.0 : 0.0;
  float any = b || count(a) ? 1.0 : 0.0;
  gl_FragColor = vec4(both, any, calls, 1.0);
}
