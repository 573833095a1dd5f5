//! error: 4
void main() {
  gl_FragData[0] = vec4(1.0);
  gl_FragData[4] = vec4(1.0);
}
