//! error: 0
void main() {
  float a[600];
  int n = int(gl_FragCoord.x);
  for (int i = 0; i < 600; i++) a[i] = float(i * n);
  gl_FragColor = vec4(a[n]);
}
