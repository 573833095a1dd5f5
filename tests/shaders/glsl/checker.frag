//! purpose: squares whose edges derivatives make soft
//! size: 64 64
void main() {
  vec2 p = IJ / 64.0 * 7.3, w = fwidth(p) + 0.001, i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5)
      - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
  gl_FragColor = vec4(0.5 - 0.5 * i.x * i.y, w, 1.0);
}
