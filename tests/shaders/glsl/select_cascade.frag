//! purpose: many choices by the same conditions
//! size: 16 16
void main() {
  bool a = IJ.x > 4.0, b = IJ.y > 9.0; vec4 p = vec4(IJ, 1.0, 2.0); vec4 q = a ? p : p.wzyx;
  vec4 r = b ? q + p : q - p; gl_FragColor = a && b ? r : (a ? q * 2.0 : (b ? r * 0.5 : p));
}
