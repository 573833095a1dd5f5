//! purpose: lengths and distances
//! size: 16 16
void main() {
  vec3 a = vec3(IJ, 2.0), b = vec3(IJ.yx, 5.0);
  gl_FragColor = vec4(length(a), distance(a, b), length(IJ), length(IJ.x - 8.0));
}
