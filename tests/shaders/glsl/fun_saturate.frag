//! purpose: results between 0 and 1, of many operations
//! size: 16 16
void main() {
  vec2 p = IJ / 8.0 - 0.5;
  gl_FragColor = vec4(clamp(p.x * p.y + 0.25, 0.0, 1.0), clamp(dot(p, p), 0.0, 1.0), min(max(p.x + p.y, 0.0), 1.0),
      clamp(1.0 / (p.x + 2.0), 0.0, 1.0));
}
