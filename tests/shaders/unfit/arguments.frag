//! error: 4 no function `texture2D` takes such arguments
uniform sampler2D t;
void main() {
  gl_FragColor = texture2D(t, gl_FragCoord);
}
