//! purpose: matrices
//! size: 16 16
//! uniform: a 1 2 3 4
//! uniform: b 1 0 0.5 0 1 0.25 2 3 1
//! uniform: c 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
uniform mat2 a; uniform mat3 b; uniform mat4 c;
void main() {
  vec2 p = IJ / 16.0;
  gl_FragColor = c * vec4(p, 1.0, 0.5) + vec4(a * p, 0.0, 1.0) + vec4(b * vec3(p, 1.0), 0.0) + vec4(p * a, c[2][1], b[1].z);
}
