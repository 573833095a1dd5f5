//! purpose: steps into a map of heights
//! size: 64 64
//! texture: heights unit 64 64
//! tolerance: 1e-4 0.03
uniform sampler2DRect heights;
void main() {
  vec2 p = IJ + 0.517, dir = (IJ - 31.5) / 100.0; float depth = 0.0, h = texture2DRect(heights, p).x;
  for (int i = 0; i < 16; i++) { if (depth > 1.0 - h) break; depth += 0.0625; p -= dir * 1.01; h = texture2DRect(heights, p).x; }
  gl_FragColor = vec4(h, depth, p / 64.0);
}
