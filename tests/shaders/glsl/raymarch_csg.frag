//! purpose: unions, cuts and smooth unions of bodies
//! size: 64 64
//! tolerance: 5e-3 0.04
float ball(vec3 p, float r) { return length(p) - r; }
float box(vec3 p, vec3 b) { vec3 q = abs(p) - b; return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0); }
float blend(float a, float b, float k) {
  float h = clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0);
  return mix(b, a, h) - k * h * (1.0 - h);
}
float map(vec3 p) {
  float d = max(box(p, vec3(0.7)), -ball(p, 0.9));
  d = blend(d, ball(p - vec3(0.0, 1.1, 0.0), 0.4), 0.2);
  return min(d, p.y + 0.8);
}
void main() {
  vec3 o = vec3(1.8, 1.4, -2.4), f = normalize(vec3(-0.6, -0.4, 0.8)), r = normalize(cross(vec3(0.0, 1.0, 0.0), f)),
      u = cross(f, r);
  vec2 p = (IJ - 31.5) / 32.0; vec3 d = normalize(f * 1.4 + r * p.x + u * p.y); float t = 0.0;
  for (int i = 0; i < 56; i++) { float s = map(o + d * t); if (s < 0.002) break; t += s; if (t > 12.0) break; }
  gl_FragColor = vec4(t / 12.0, (o + d * t) * 0.25);
}
