//! error: 3 `i` is an int, but its value is a float; convert it, as in `int(...)`
void main() {
  int i = 1.5;
  gl_FragColor = vec4(i);
}
