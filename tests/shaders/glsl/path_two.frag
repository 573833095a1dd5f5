//! purpose: rays that bounce once, in a box
//! size: 64 64
//! tolerance: 5e-3 0.05
vec3 wall(vec3 p) {
  vec3 q = abs(p);
  if (q.x > q.y && q.x > q.z) return p.x > 0.0 ? vec3(0.8, 0.2, 0.2) : vec3(0.2, 0.8, 0.2);
  return q.y > q.z && p.y > 0.0 ? vec3(2.0) : vec3(0.7);
}
float leave(vec3 o, vec3 d) { vec3 t = (sign(d) - o) / d; return min(t.x, min(t.y, t.z)); }
vec3 inward(vec3 p) {
  vec3 q = abs(p);
  return q.x > q.y && q.x > q.z ? vec3(-sign(p.x), 0.0, 0.0)
      : (q.y > q.z ? vec3(0.0, -sign(p.y), 0.0) : vec3(0.0, 0.0, -sign(p.z)));
}
void main() {
  vec3 o = vec3(0.05, 0.02, -0.9), d = normalize(vec3((IJ - 31.37) / 32.0, 1.1)), c = vec3(1.0), sum = vec3(0.0);
  for (int i = 0; i < 2; i++) {
    vec3 p = o + d * leave(o, d) * 0.9995, n = inward(p); vec3 w = wall(p);
    sum += c * w * (0.3 + 0.7 * max(dot(n, -d), 0.0)); c *= w * 0.5; o = p; d = reflect(d, n);
  }
  gl_FragColor = vec4(sum, 1.0);
}
