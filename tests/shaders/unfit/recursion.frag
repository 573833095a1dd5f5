//! error: 2 `f` calls itself
float f(float x) { return x < 1.0 ? x : f(x - 1.0); }
void main() {
  gl_FragColor = vec4(f(gl_FragCoord.x));
}
