//! purpose: branches with much work, of which half the picture needs one
//! size: 16 16
void main() {
  vec2 p = IJ / 16.0; float r;
  if (IJ.y > 7.0) {
    r = sin(p.x * 3.0) + cos(p.y * 5.0); r = r * r + exp2(-r); r += sqrt(abs(r) + p.x);
    r = fract(r * 3.0) + p.y;
  }
  else { r = p.x * p.y; r = log2(r + 2.0) + inversesqrt(r + 1.0); r = abs(sin(r * 4.0)) - r; r = r * r * r + 0.5; }
  gl_FragColor = vec4(r, r * 0.5, p);
}
