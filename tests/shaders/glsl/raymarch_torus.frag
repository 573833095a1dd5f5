//! purpose: a torus with its normals and a light
//! size: 64 64
//! tolerance: 5e-3 0.03
float map(vec3 p) { vec2 q = vec2(length(p.xz) - 1.0, p.y); return length(q) - 0.35; }
vec3 normal(vec3 p) {
  vec2 e = vec2(0.01, 0.0);
  return normalize(vec3(map(p + e.xyy) - map(p - e.xyy), map(p + e.yxy) - map(p - e.yxy), map(p + e.yyx) - map(p - e.yyx)));
}
void main() {
  vec3 o = vec3(0.0, 1.6, -2.6), d = normalize(vec3((IJ - 31.5) / 32.0 - vec2(0.0, 0.9), 1.6)); float t = 0.0, s = 1.0;
  for (int i = 0; i < 48 && s > 0.001 && t < 8.0; i++) { s = map(o + d * t); t += s; }
  vec3 c = vec3(0.1, 0.1, 0.2);
  if (t < 8.0) { vec3 n = normal(o + d * t); c = vec3(0.9, 0.5, 0.2) * max(dot(n, normalize(vec3(1.0, 2.0, -1.0))), 0.1); }
  gl_FragColor = vec4(c, 1.0);
}
