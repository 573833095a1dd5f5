//! error: 2 never closed
void main() {
  gl_FragColor = vec4(1.0;
}
