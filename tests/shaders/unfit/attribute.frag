//! error: 2 a fragment shader has no attributes
attribute vec4 place;
void main() {
  gl_FragColor = place;
}
