//! purpose: main ends early
//! size: 16 16
void main() {
  gl_FragColor = vec4(IJ / 16.0, 0.0, 1.0);
  if (IJ.x < 4.0) return;
  gl_FragColor.z = 0.5;
  if (IJ.y > 8.0) { gl_FragColor.x = 1.0; return; }
  gl_FragColor *= 2.0;
}
