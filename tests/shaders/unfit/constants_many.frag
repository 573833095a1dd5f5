//! error: 2 more than 256 float constants
uniform vec4 a[257];
void main() {
  gl_FragColor = a[int(gl_FragCoord.x)] + a[256];
}
