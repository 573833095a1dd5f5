//! purpose: values between bounds
//! size: 16 16
void main() {
  vec2 p = IJ / 8.0 - 0.5;
  gl_FragColor = vec4(clamp(p, 0.0, 1.0), clamp(p, vec2(0.25, -0.25), vec2(0.75, p.x + 0.5)));
}
