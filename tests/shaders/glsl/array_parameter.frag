//! purpose: arrays as parameters, by value and to be changed
//! size: 16 16
float sum(float a[3]) { a[0] += 1.0; return a[0] + a[1] + a[2]; }
void twice(inout float a[3]) { for (int i = 0; i < 3; i++) a[i] *= 2.0; }
void main() {
  float a[3]; a[0] = IJ.x; a[1] = IJ.y; a[2] = 3.0;
  float before = sum(a); twice(a);
  gl_FragColor = vec4(before, sum(a), a[0], a[2]);
}
