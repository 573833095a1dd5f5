//! purpose: noise that light goes through in steps
//! size: 64 64
//! texture: grid unit 16 16
//! tolerance: 1e-3 0.01
uniform sampler2DRect grid;
float density(vec2 p) {
  vec2 i = floor(p), f = fract(p); f = f * f * (3.0 - 2.0 * f);
  vec4 a = texture2DRect(grid, mod(i, 16.0) + 0.5), b = texture2DRect(grid, mod(i + vec2(0.0, 1.0), 16.0) + 0.5);
  return mix(mix(a.x, texture2DRect(grid, mod(i + vec2(1.0, 0.0), 16.0) + 0.5).x, f.x),
      mix(b.x, texture2DRect(grid, mod(i + 1.0, 16.0) + 0.5).x, f.x), f.y);
}
void main() {
  vec2 p = IJ / 10.0; float through = 1.0, light = 0.0;
  for (int i = 0; i < 10; i++) {
    float d = max(density(p + float(i) * vec2(0.31, 0.17)) - 0.45, 0.0) * 0.8;
    light += through * d * exp(-float(i) * 0.15); through *= 1.0 - d;
    if (through < 0.05) break;
  }
  gl_FragColor = vec4(light, through, p);
}
