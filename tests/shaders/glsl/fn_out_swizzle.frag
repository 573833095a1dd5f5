//! purpose: results that go to components and elements
//! size: 16 16
void give(out vec2 a, out float b) { a = IJ; b = 7.0; }
void main() {
  vec4 v = vec4(0.0); float a[2]; a[0] = 1.0; a[1] = 2.0;
  give(v.wx, a[1]); v.y = a[1]; v.z = a[0];
  gl_FragColor = v;
}
