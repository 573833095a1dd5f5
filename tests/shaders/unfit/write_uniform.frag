//! error: 2 `k` is a uniform
uniform float k;
void main() {
  k = 1.0;
  gl_FragColor = vec4(k);
}
