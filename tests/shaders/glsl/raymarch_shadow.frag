//! purpose: a ball over a plane, with a soft shadow
//! size: 64 64
//! tolerance: 1e-2 0.05
float map(vec3 p) { return min(length(p - vec3(0.0, 0.5, 0.0)) - 0.5, p.y); }
float shadow(vec3 o, vec3 d) {
  float light = 1.0, t = 0.05;
  for (int i = 0; i < 20; i++) {
    float h = map(o + d * t);
    if (h < 0.002) return 0.0;
    light = min(light, 8.0 * h / t); t += h;
    if (t > 4.0) break;
  }
  return light;
}
void main() {
  vec3 o = vec3(0.0, 1.5, -3.0), d = normalize(vec3((IJ - 31.5) / 40.0 - vec2(0.0, 0.35), 1.2)); float t = 0.0; bool hit = false;
  for (int i = 0; i < 40; i++) { float h = map(o + d * t); if (h < 0.002) { hit = true; break; } t += h; if (t > 10.0) break; }
  float c = 0.3; if (hit) c = 0.1 + 0.9 * shadow(o + d * t, normalize(vec3(0.7, 1.0, -0.4)));
  gl_FragColor = vec4(vec3(c), hit ? 1.0 : 0.0);
}
