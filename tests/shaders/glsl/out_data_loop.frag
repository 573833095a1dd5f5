//! purpose: a loop makes the sum of a colour
//! size: 16 16
//! outputs: 2
void main() {
  vec4 a = vec4(0.0), b = vec4(1.0);
  for (int i = 0; i < 5; i++) { a += vec4(IJ, b.xy); b *= 0.5; }
  gl_FragData[0] = a; gl_FragData[1] = b;
}
