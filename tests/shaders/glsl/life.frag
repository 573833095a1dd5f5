//! purpose: a step of Conway's game
//! size: 64 64
//! texture: cells bits 64 64
uniform sampler2DRect cells;
float cell(float x, float y) { return texture2DRect(cells, mod(IJ + vec2(x, y), 64.0) + 0.5).x; }
void main() {
  float n = cell(-1.0, -1.0) + cell(0.0, -1.0) + cell(1.0, -1.0) + cell(-1.0, 0.0) + cell(1.0, 0.0) + cell(-1.0, 1.0)
      + cell(0.0, 1.0) + cell(1.0, 1.0);
  float alive = cell(0.0, 0.0); float next = n == 3.0 || n == 2.0 && alive == 1.0 ? 1.0 : 0.0;
  gl_FragColor = vec4(next, alive, n, 1.0);
}
