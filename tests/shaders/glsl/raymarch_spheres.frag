//! purpose: repeated balls, with fog
//! size: 64 64
//! tolerance: 2e-3 0.02
float map(vec3 p) { vec3 q = mod(p, 4.0) - 2.0; return length(q) - 0.75; }
void main() {
  vec3 d = normalize(vec3((IJ - 31.5) / 32.0, 1.5)), o = vec3(0.3, 0.7, 0.0); float t = 0.0;
  for (int i = 0; i < 40; i++) { float s = map(o + d * t); if (s < 0.002 || t > 24.0) break; t += s; }
  gl_FragColor = vec4(vec3(exp2(-t * 0.15)) * vec3(1.0, 0.8, 0.6), t);
}
