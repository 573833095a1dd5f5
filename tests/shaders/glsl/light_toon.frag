//! purpose: light in steps, with an outline
//! size: 64 64
void main() {
  vec2 p = (IJ - 31.3) / 30.0; float r = length(p); vec3 c = vec3(1.0);
  if (r < 1.0) {
    vec3 n = vec3(p, sqrt(1.0 - r * r)); float l = dot(n, vec3(0.48, 0.64, 0.6));
    float s = l > 0.83 ? 1.0 : (l > 0.41 ? 0.7 : (l > -0.03 ? 0.4 : 0.2));
    c = vec3(0.2, 0.5, 1.0) * s;
    if (r > 0.93) c = vec3(0.0);
  }
  gl_FragColor = vec4(c, 1.0);
}
