//! purpose: vectors that are turned to another
//! size: 16 16
void main() {
  vec3 n = vec3(1.0, 2.0, 3.0), i = vec3(IJ - 8.0, 0.5);
  gl_FragColor = vec4(faceforward(n, i, vec3(1.0, -1.0, 0.25)), 1.0);
}
