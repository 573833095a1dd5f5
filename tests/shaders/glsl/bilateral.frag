//! purpose: a mean of neighbours that are alike
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 1e-4
uniform sampler2DRect image;
void main() {
  vec3 middle = texture2DRect(image, IJ + 0.5).rgb, sum = vec3(0.0); float total = 0.0;
  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) {
    vec2 o = vec2(float(i), float(j));
    vec3 c = texture2DRect(image, IJ + 0.5 + o).rgb, d = c - middle;
    float w = exp(-dot(o, o) * 0.5 - dot(d, d) * 4.0);
    sum += c * w; total += w;
  }
  gl_FragColor = vec4(sum / total, total);
}
