//! purpose: many values that live at the same time
//! size: 16 16
void main() {
  vec4 a = vec4(IJ, IJ.yx) / 16.0, b = a * 2.0 + 1.0, c = b * a - 0.5, d = c * b + a, e = d * c - b, f = e * d + c, g = f * e
      - d, h = g * f + e;
  vec4 s = a.wzyx * h + b.zwxy * g + c.yxwz * f + d * e.wwzz;
  gl_FragColor = s * (a + b + c + d) - (e + f + g + h).yzwx;
}
