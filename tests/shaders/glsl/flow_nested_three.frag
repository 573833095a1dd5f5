//! purpose: three loops in each other
//! size: 16 16
void main() {
  float s = 0.0; float n = mod(IJ.x, 4.0) + 2.0;
  for (float i = 0.0; i < n; i += 1.0) for (float j = 0.0; j < i; j += 1.0) for (float k = j; k < n; k += 1.0) s += k - j + i;
  gl_FragColor = vec4(s, n, IJ);
}
