//! purpose: a column of noise that fades
//! size: 64 64
//! texture: grid unit 16 16
//! uniform: time 2.5
//! tolerance: 1e-4
uniform sampler2DRect grid; uniform float time;
float at(vec2 p) { return texture2DRect(grid, mod(p, 16.0) + 0.5).y; }
float noise(vec2 p) {
  vec2 i = floor(p), f = fract(p); f = f * f * (3.0 - 2.0 * f);
  return mix(mix(at(i), at(i + vec2(1.0, 0.0)), f.x), mix(at(i + vec2(0.0, 1.0)), at(i + 1.0), f.x), f.y);
}
void main() {
  vec2 p = IJ / 64.0;
  float n = noise(p * 6.0 - vec2(0.0, time * 2.0)) + 0.5 * noise(p * 12.0 - vec2(0.0, time * 3.0));
  float shape = 1.0 - abs(p.x - 0.5) * 3.0 - p.y;
  float f = clamp(shape + n * 0.6 - 0.2, 0.0, 1.0); gl_FragColor = vec4(f * 1.5, f * f * 1.2, f * f * f * f, f);
}
