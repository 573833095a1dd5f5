//! purpose: linear interpolation
//! size: 16 16
void main() {
  vec2 p = IJ / 16.0; vec3 a = vec3(p, 1.0), b = vec3(2.0, p.yx);
  gl_FragColor = vec4(mix(a, b, p.x), mix(1.0, 3.0, p.y)) + vec4(mix(a, b, a), 0.0);
}
