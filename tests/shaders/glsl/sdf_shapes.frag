//! purpose: circles, boxes with round corners, rings, and a grid of them
//! size: 64 64
float box(vec2 p, vec2 b, float r) { vec2 q = abs(p) - b + r; return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - r; }
void main() {
  vec2 p = IJ / 64.0 * 4.0, c = fract(p * 0.5) * 2.0 - 1.0; vec2 cell = floor(p * 0.5);
  float a = length(c) - 0.6, b = box(c, vec2(0.7, 0.4), 0.2), r = abs(length(c) - 0.5) - 0.15, d = cell.x < 0.5
      ? (cell.y < 0.5 ? a : b) : (cell.y < 0.5 ? r : max(b, -a));
  gl_FragColor = vec4(d, clamp(0.5 - d * 8.0, 0.0, 1.0), cell);
}
