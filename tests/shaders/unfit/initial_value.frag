//! error: 3 `i` is an int, and its value a float; convert it, as in `int(...)`
void main() {
  int i = 1.5;
  gl_FragColor = vec4(i);
}
