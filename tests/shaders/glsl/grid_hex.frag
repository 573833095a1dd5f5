//! purpose: cells of six sides
//! size: 64 64
//! tolerance: 1e-4 0.02
void main() {
  vec2 p = IJ / 9.0, s = vec2(1.0, 1.7320508), h = s * 0.5, a = mod(p, s) - h, b = mod(p - h, s) - h;
  vec2 g = dot(a, a) < dot(b, b) ? a : b; vec2 id = p - g;
  vec2 q = abs(g); float d = max(dot(q, normalize(s)), q.x); gl_FragColor = vec4(0.5 - d, id, d > 0.45 ? 0.0 : 1.0);
}
