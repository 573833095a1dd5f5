//! purpose: sums of waves as a palette
//! size: 64 64
//! uniform: time 1.5
uniform float time;
void main() {
  vec2 p = IJ / 64.0 * 8.0;
  float v = sin(p.x + time) + sin(0.5 * (p.y + time)) + sin(0.5 * (p.x + p.y + time));
  vec2 c = p + vec2(sin(time / 3.0), cos(time / 2.0)) - 4.0;
  v += sin(sqrt(dot(c, c) + 1.0) + time);
  v *= 0.5;
  gl_FragColor = vec4(sin(v * 3.14159), cos(v * 3.14159), sin(v * 3.14159 + 2.0944), 2.0) * 0.5 + vec4(0.5, 0.5, 0.5, 0.0);
}
