//! purpose: the four orders of numbers
//! size: 16 16
void main() {
  float x = IJ.x, y = IJ.y; vec4 c = vec4(0.0);
  if (x < y) c.x = 1.0; if (x <= y) c.y = 1.0; if (x > y) c.z = 1.0; if (x >= y) c.w = 1.0;
  gl_FragColor = c;
}
