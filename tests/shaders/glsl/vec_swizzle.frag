//! purpose: reads of components in any order, with repetition
//! size: 16 16
void main() {
  vec4 v = vec4(IJ, IJ.x * 2.0, IJ.y + 3.0);
  vec4 a = v.wzyx, b = v.xxyy, c = v.zwzw; vec3 d = v.yyy, e = v.wxz; vec2 f = v.zy;
  gl_FragColor = a + b * 0.5 + c * 0.25 + vec4(d - e, f.x * f.y);
}
