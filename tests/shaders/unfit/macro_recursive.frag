//! error: 5 unknown variable `A`
#define A B B
#define B A A
void main() {
  gl_FragColor = vec4(A);
}
