//! error: 2 no `#endif`
#if 1
void main() {
  gl_FragColor = vec4(1.0);
}
