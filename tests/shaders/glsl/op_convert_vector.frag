//! purpose: conversions of vectors between types of components
//! size: 16 16
void main() {
  vec4 v = vec4(IJ * 0.4, 2.75 - IJ.x, -1.5);
  ivec4 i = ivec4(v); bvec4 b = bvec4(i); vec4 f = vec4(b);
  gl_FragColor = vec4(i) + f * 0.25;
}
