//! error: 4 a vec3 is not a vec2; choose channels, as in `.xy`
void main() {
  vec3 a = vec3(1.0);
  vec2 b = a;
  gl_FragColor = vec4(b, b);
}
