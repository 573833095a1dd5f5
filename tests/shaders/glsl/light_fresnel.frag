//! purpose: a thin edge that reflects a sky
//! size: 64 64
//! tolerance: 2e-4 0.01
vec3 sky(vec3 d) { float t = 0.5 * (d.y + 1.0); return mix(vec3(1.0, 0.9, 0.8), vec3(0.2, 0.4, 0.9), t); }
void main() {
  vec2 p = (IJ - 31.5) / 29.0; float r = dot(p, p); vec3 d = vec3(0.0, 0.0, -1.0), c = sky(vec3(p * 0.5, -1.0));
  if (r < 1.0) {
    vec3 n = vec3(p, sqrt(1.0 - r)); float f = 0.04 + 0.96 * pow(1.0 - n.z, 5.0);
    c = mix(sky(refract(d, n, 0.66)) * vec3(0.7, 0.9, 0.8), sky(reflect(d, n)), f);
  }
  gl_FragColor = vec4(c, 1.0);
}
