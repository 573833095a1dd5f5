//! purpose: rough walls
//! size: 64 64
//! tolerance: 1e-3 0.01
void main() {
  vec2 p = (IJ - 31.5) / 36.0; vec3 n = normalize(vec3(p, 0.6)), v = vec3(0.0, 0.0, 1.0), l = normalize(vec3(0.6, 0.3, 0.7));
  float nl = dot(n, l), nv = dot(n, v), s2 = 0.25, a = 1.0 - 0.5 * s2 / (s2 + 0.33), b = 0.45 * s2 / (s2 + 0.09);
  float al = acos(clamp(nl, -1.0, 1.0)), av = acos(clamp(nv, -1.0, 1.0));
  vec3 pl = normalize(l - n * nl), pv = normalize(v - n * nv + vec3(0.0001));
  float c = max(nl, 0.0) * (a + b * max(dot(pl, pv), 0.0) * sin(max(al, av)) * min(tan(min(al, av)), 8.0));
  gl_FragColor = vec4(vec3(c), 1.0);
}
