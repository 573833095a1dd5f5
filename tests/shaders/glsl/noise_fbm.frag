//! purpose: octaves of noise
//! size: 64 64
//! texture: grid unit 16 16
uniform sampler2DRect grid;
float at(vec2 p) { return texture2DRect(grid, mod(p, 16.0) + 0.5).x; }
float noise(vec2 p) {
  vec2 i = floor(p), f = p - i; f *= f * (3.0 - 2.0 * f);
  return mix(mix(at(i), at(i + vec2(1.0, 0.0)), f.x), mix(at(i + vec2(0.0, 1.0)), at(i + vec2(1.0)), f.x), f.y);
}
void main() {
  vec2 p = IJ / 16.0; float sum = 0.0, weight = 0.5;
  for (int octave = 0; octave < 5; octave++) { sum += noise(p) * weight; weight *= 0.5; p = mat2(1.6, 1.2, -1.2, 1.6) * p; }
  gl_FragColor = vec4(sum, sum * sum, 1.0 - sum, 1.0);
}
