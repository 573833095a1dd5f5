//! purpose: a letter of strokes by distances
//! size: 64 64
float segment(vec2 p, vec2 a, vec2 b) {
  vec2 pa = p - a, ba = b - a;
  return length(pa - ba * clamp(dot(pa, ba) / dot(ba, ba), 0.0, 1.0));
}
void main() {
  vec2 p = IJ / 64.0;
  float d = min(segment(p, vec2(0.25, 0.15), vec2(0.5, 0.85)),
      min(segment(p, vec2(0.75, 0.15), vec2(0.5, 0.85)), segment(p, vec2(0.35, 0.4), vec2(0.65, 0.4))));
  gl_FragColor = vec4(smoothstep(0.07, 0.05, d), d, smoothstep(0.12, 0.05, d) * 0.5, 1.0);
}
