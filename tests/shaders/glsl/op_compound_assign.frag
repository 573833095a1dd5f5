//! purpose: all assignments with an operator
//! size: 16 16
void main() {
  vec2 p = IJ / 16.0;
  vec4 c = vec4(p, 1.0, 2.0);
  c += 0.5; c -= vec4(p.yx, 0.0, 1.0); c *= vec4(2.0, 3.0, p); c /= 4.0;
  float f = 1.0; f += p.x; f *= f; f -= p.y; f /= 2.0;
  c.yz *= 2.0; c.w += f;
  gl_FragColor = c;
}
