//! purpose: derivatives of what was chosen
//! size: 16 16
void main() {
  float f = IJ.x > 7.0 ? IJ.x * 2.0 : IJ.y; float g = floor(IJ.x / 3.0);
  gl_FragColor = vec4(dFdx(g), dFdy(IJ.y * 4.0), f, abs(dFdx(g)) + abs(dFdy(g)));
}
