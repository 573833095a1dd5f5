//! purpose: a filmic curve and the transfer function
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 1e-4
uniform sampler2DRect image;
vec3 encode(vec3 c) {
  vec3 low = c * 12.92, high = 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055;
  return mix(low, high, step(0.0031308, c));
}
void main() {
  vec3 c = texture2DRect(image, IJ + 0.5).rgb * 2.0;
  c = clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
  gl_FragColor = vec4(encode(max(c, 0.0001)), 1.0);
}
