//! purpose: scalars and vectors that do not depend on each other
//! size: 16 16
void main() {
  vec3 v = vec3(IJ, 1.0) / 16.0; float s = IJ.x * 0.125;
  for (int i = 0; i < 4; i++) { v = v * v + 0.25; s = s * 0.5 + 1.0; }
  gl_FragColor = vec4(v, s);
}
