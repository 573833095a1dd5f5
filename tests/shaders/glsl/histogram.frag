//! purpose: how many texels of a row are in each class
//! size: 64 64
//! texture: data unit 64 64
uniform sampler2DRect data;
void main() {
  float low = floor(IJ.x / 4.0) / 16.0, high = low + 1.0 / 16.0, n = 0.0;
  for (float i = 0.0; i < 64.0; i += 1.0) {
    float v = texture2DRect(data, vec2(i, IJ.y) + 0.5).x;
    if (v >= low && v < high) n += 1.0;
  }
  gl_FragColor = vec4(n, low, high, 1.0);
}
