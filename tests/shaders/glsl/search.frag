//! purpose: a place in numbers that are in order
//! size: 64 64
//! texture: data indices 64 1
uniform sampler2DRect data;
void main() {
  float want = IJ.x * 0.9 + IJ.y * 0.3, low = 0.0, high = 63.0, steps = 0.0;
  while (low < high && steps < 8.0) {
    float middle = floor((low + high) * 0.5);
    if (texture2DRect(data, vec2(middle, 0.0) + 0.5).x < want) low = middle + 1.0;
    else high = middle;
    steps += 1.0;
  }
  gl_FragColor = vec4(low, high, steps, want);
}
