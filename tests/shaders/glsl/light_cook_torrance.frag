//! purpose: a microfacet model
//! size: 64 64
//! tolerance: 1e-3 0.01
//! uniform: roughness 0.4
//! uniform: f0 0.9 0.6 0.3
uniform float roughness; uniform vec3 f0;
void main() {
  vec2 p = (IJ - 31.5) / 36.0;
  vec3 n = normalize(vec3(p, 0.7)), v = vec3(0.0, 0.0, 1.0), l = normalize(vec3(0.4, 0.5, 0.8)), h = normalize(l + v);
  float nl = max(dot(n, l), 0.001), nv = max(dot(n, v), 0.001), nh = max(dot(n, h), 0.0), vh = max(dot(v, h), 0.0), a = roughness
      * roughness, a2 = a * a;
  float d = nh * nh * (a2 - 1.0) + 1.0, ggx = a2 / (3.14159265 * d * d), k = (roughness + 1.0) * (roughness + 1.0) / 8.0;
  float g = nl / (nl * (1.0 - k) + k) * nv / (nv * (1.0 - k) + k); vec3 f = f0 + (1.0 - f0) * pow(1.0 - vh, 5.0);
  gl_FragColor = vec4((f * ggx * g / (4.0 * nl * nv) + (1.0 - f) * 0.1) * nl, ggx);
}
