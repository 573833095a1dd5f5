//! purpose: smooth steps
//! size: 16 16
void main() {
  vec2 p = IJ / 16.0;
  gl_FragColor = vec4(smoothstep(0.25, 0.75, p), smoothstep(vec2(0.75, 0.125), vec2(0.25, 1.0), p));
}
