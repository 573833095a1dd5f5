//! purpose: values at the corners of a grid, interpolated smoothly
//! size: 64 64
//! texture: grid unit 16 16
uniform sampler2DRect grid;
float at(vec2 p) { return texture2DRect(grid, mod(p, 16.0) + 0.5).x; }
void main() {
  vec2 p = IJ / 5.0, i = floor(p), f = fract(p), u = f * f * (3.0 - 2.0 * f);
  float n = mix(mix(at(i), at(i + vec2(1.0, 0.0)), u.x), mix(at(i + vec2(0.0, 1.0)), at(i + 1.0), u.x), u.y);
  gl_FragColor = vec4(n, n * n, u);
}
