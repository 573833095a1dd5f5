//! purpose: a ball with a light and a highlight
//! size: 64 64
//! tolerance: 2e-4 0.01
void main() {
  vec2 p = (IJ - 31.5) / 28.0; float r = dot(p, p); vec3 c = vec3(0.05);
  if (r < 1.0) {
    vec3 n = vec3(p, sqrt(1.0 - r)), l = normalize(vec3(0.5, 0.7, 0.6)), v = vec3(0.0, 0.0, 1.0), h = reflect(-l, n);
    c = vec3(0.8, 0.3, 0.2) * max(dot(n, l), 0.0) + vec3(pow(max(dot(h, v), 0.0), 32.0));
  }
  gl_FragColor = vec4(c, r < 1.0 ? 1.0 : 0.0);
}
