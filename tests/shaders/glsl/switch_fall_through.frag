//! purpose: choices that go on to the next
//! size: 16 16
//! r300: no
#version 130
void main() {
  float r = 0.0;
  switch (int(mod(IJ.x, 5.0))) { case 3: r += 1.0; case 2: r += 2.0; case 1: r += 4.0; break; case 4: r = 100.0; }
  gl_FragColor = vec4(r, IJ, 1.0);
}
