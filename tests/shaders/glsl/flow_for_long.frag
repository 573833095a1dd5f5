//! purpose: a loop of 40 passes
//! size: 16 16
void main() {
  vec2 z = IJ / 32.0;
  for (int i = 0; i < 40; i++) z = vec2(z.y * 0.75 + 0.1, 0.5 - z.x * 0.5);
  gl_FragColor = vec4(z, IJ);
}
