//! purpose: lines of one pixel at any scale
//! size: 64 64
//! tolerance: 1e-3 0.05
void main() {
  vec2 p = IJ * IJ / 300.0, g = abs(fract(p - 0.5) - 0.5) / max(fwidth(p), 0.01);
  float line = min(g.x, g.y); gl_FragColor = vec4(vec3(1.0 - min(line, 1.0)), 1.0);
}
