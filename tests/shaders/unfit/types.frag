//! error: 4
void main() {
  vec3 a = vec3(1.0);
  vec2 b = a;
  gl_FragColor = vec4(b, b);
}
