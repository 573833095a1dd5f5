//! purpose: digits of seven segments
//! size: 64 64
float on(float digit, float a, float b, float c) { return digit == a || digit == b || digit == c ? 0.0 : 1.0; }
void main() {
  vec2 p = mod(IJ, 16.0); float digit = floor(IJ.x / 16.0) + 4.0 * floor(IJ.y / 16.0); digit = mod(digit, 10.0);
  float lit = 0.0; bool across = p.x > 4.0 && p.x < 11.0, low = p.y < 8.0;
  if (across && p.y > 12.0) lit = on(digit, 1.0, 4.0, 4.0);
  else if (across && abs(p.y - 8.0) < 1.5) lit = on(digit, 0.0, 1.0, 7.0);
  else if (across && p.y < 3.0) lit = on(digit, 1.0, 4.0, 7.0);
  else if (p.x <= 4.0 && p.x > 1.0) lit = low ? 1.0 - on(digit, 0.0, 2.0, 6.0) * on(digit, 8.0, 8.0, 8.0)
      : on(digit, 1.0, 2.0, 3.0) * on(digit, 7.0, 7.0, 7.0);
  else if (p.x >= 11.0 && p.x < 14.0) lit = low ? on(digit, 2.0, 2.0, 2.0) : on(digit, 5.0, 6.0, 6.0);
  gl_FragColor = vec4(lit, digit, p / 16.0);
}
