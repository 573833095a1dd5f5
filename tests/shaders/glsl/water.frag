//! purpose: ripples from three places
//! size: 64 64
//! tolerance: 1e-4
//! uniform: time 3
uniform float time;
void main() {
  float h = 0.0; vec2 g = vec2(0.0);
  for (int i = 0; i < 3; i++) {
    vec2 c = vec2(12.0 + 20.0 * float(i), 50.0 - 18.0 * float(i)), d = IJ - c;
    float r = length(d) + 0.01, w = r * 0.6 - time; h += sin(w) / (1.0 + r * 0.1);
    g += cos(w) * d / r;
  }
  gl_FragColor = vec4(h, g, max(dot(normalize(vec3(-g * 0.3, 1.0)), vec3(0.48, 0.36, 0.8)), 0.0));
}
