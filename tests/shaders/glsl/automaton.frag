//! purpose: rows of a cellular automaton of one dimension
//! size: 64 64
//! texture: cells bits 64 1
uniform sampler2DRect cells;
void main() {
  float state[9]; for (int i = 0; i < 9; i++) state[i] = texture2DRect(cells, vec2(IJ.x + float(i) - 4.0, 0.0) + 0.5).x;
  for (int pass = 0; pass < 4; pass++) {
    float last = state[0];
    for (int i = 1; i < 8; i++) {
      float now = state[i]; float code = last * 4.0 + now * 2.0 + state[i + 1]; last = now;
      state[i] = code == 1.0 || code == 2.0 || code == 3.0 || code == 4.0 ? 1.0 : 0.0;
    }
  }
  gl_FragColor = vec4(state[4], state[3], state[5], 1.0);
}
