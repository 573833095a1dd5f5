//! error: 4 expected `,` or `;`, found `gl_FragColor`
void main() {
  vec4 c = vec4(1.0)
  gl_FragColor = c;
}
