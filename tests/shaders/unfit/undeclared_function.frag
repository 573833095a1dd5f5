//! error: 3 there is no function `foo`
void main() {
  gl_FragColor = vec4(foo(1.0));
}
