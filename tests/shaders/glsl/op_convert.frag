//! purpose: conversions between booleans, integers and floats
//! size: 16 16
void main() {
  float x = (IJ.x - 8.0) * 0.75;
  int i = int(x); bool b = bool(i); float f = float(b);
  float g = float(int(IJ.y) / 2), h = float(bool(IJ.x - 3.0)) + float(int(b));
  gl_FragColor = vec4(float(i), f, g, h);
}
