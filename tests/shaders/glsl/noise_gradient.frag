//! purpose: gradients at the corners of a grid
//! size: 64 64
//! texture: grid random 16 16
uniform sampler2DRect grid;
float corner(vec2 i, vec2 f) { return dot(texture2DRect(grid, mod(i, 16.0) + 0.5).xy, f); }
float noise(vec2 p) {
  vec2 i = floor(p), f = p - i, u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  return mix(mix(corner(i, f), corner(i + vec2(1.0, 0.0), f - vec2(1.0, 0.0)), u.x),
      mix(corner(i + vec2(0.0, 1.0), f - vec2(0.0, 1.0)), corner(i + 1.0, f - 1.0), u.x), u.y);
}
void main() { vec2 p = IJ / 9.0; gl_FragColor = vec4(noise(p), noise(p * 2.0) * 0.5, noise(p + 3.7), 1.0); }
