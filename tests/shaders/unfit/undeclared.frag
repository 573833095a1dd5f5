//! error: 4 unknown variable `b`
void main() {
  float a = 1.0;
  gl_FragColor = vec4(a + b);
}
