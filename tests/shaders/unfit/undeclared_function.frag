//! error: 3 unknown function `foo`
void main() {
  gl_FragColor = vec4(foo(1.0));
}
