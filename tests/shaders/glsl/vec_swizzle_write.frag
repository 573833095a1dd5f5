//! purpose: assignments to some components
//! size: 16 16
void main() {
  vec4 v = vec4(0.0, 1.0, 2.0, 3.0);
  v.xz = IJ; v.wy = v.xz + 1.0; v.zyx = v.xyz; v.a += 0.5;
  gl_FragColor = v;
}
