//! purpose: samples along the way to the centre
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 1e-4 0.02
uniform sampler2D image;
void main() {
  vec2 p = (IJ + 0.5) / 64.0, step_to = (vec2(0.5) - p) * 0.043; vec4 sum = vec4(0.0); float weight = 1.0, total = 0.0;
  for (int i = 0; i < 12; i++) { sum += texture2D(image, p) * weight; total += weight; weight *= 0.9; p += step_to; }
  gl_FragColor = sum / total;
}
