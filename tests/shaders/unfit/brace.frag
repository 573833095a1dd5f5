//! error: 2 never closed
void main() {
  if (true) {
  gl_FragColor = vec4(1.0);
}
