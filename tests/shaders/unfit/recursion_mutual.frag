//! error: 6 `f` calls itself
float g(float x);
float f(float x) {
  return x * g(x - 1.0);
}
float g(float x) { return x > 3.0 ? f(x) : 1.0; }
void main() { gl_FragColor = vec4(f(gl_FragCoord.x)); }
