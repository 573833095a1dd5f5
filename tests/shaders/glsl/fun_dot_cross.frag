//! purpose: products of vectors
//! size: 16 16
void main() {
  vec3 a = vec3(IJ, 1.0), b = vec3(2.0, IJ.yx);
  gl_FragColor = vec4(cross(a, b), dot(a, b)) + vec4(dot(IJ, vec2(1.0, -1.0)), dot(vec4(a, 1.0), vec4(b, 2.0)), dot(IJ.x, 2.0),
      0.0);
}
