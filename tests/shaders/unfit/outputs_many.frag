//! error: 4 the index 4 is out of bounds: `gl_FragData` is a vec4[4]
void main() {
  gl_FragData[0] = vec4(1.0);
  gl_FragData[4] = vec4(1.0);
}
