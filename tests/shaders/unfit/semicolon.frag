//! error: 4 `gl_FragColor` cannot stand here: `,` or `;` is expected
void main() {
  vec4 c = vec4(1.0)
  gl_FragColor = c;
}
