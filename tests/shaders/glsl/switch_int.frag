//! purpose: choices by integers
//! size: 16 16
//! r300: no
#version 130
void main() {
  float r;
  switch (int(mod(IJ.x, 6.0))) {
    case 0: r = 1.0; break; case 1: r = IJ.y; break; case 2: case 3: r = IJ.x * 2.0; break;
    case 4: r = -1.0; break; default: r = 0.25;
  }
  gl_FragColor = vec4(r, IJ, 1.0);
}
