//! purpose: reflection
//! size: 16 16
void main() {
  vec3 n = normalize(vec3(0.5, 1.0, 0.25)), i = vec3(IJ / 8.0 - 1.0, -1.0);
  gl_FragColor = vec4(reflect(i, n), reflect(IJ, vec2(0.0, 1.0)).y);
}
