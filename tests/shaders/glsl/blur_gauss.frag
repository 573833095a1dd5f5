//! purpose: nine taps along a row with weights
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
void main() {
  vec2 p = IJ + 0.5; vec4 c = texture2DRect(image, p) * 0.2270270270;
  c += (texture2DRect(image, p + vec2(1.0, 0.0)) + texture2DRect(image, p - vec2(1.0, 0.0))) * 0.1945945946;
  c += (texture2DRect(image, p + vec2(2.0, 0.0)) + texture2DRect(image, p - vec2(2.0, 0.0))) * 0.1216216216;
  c += (texture2DRect(image, p + vec2(3.0, 0.0)) + texture2DRect(image, p - vec2(3.0, 0.0))) * 0.0540540541;
  c += (texture2DRect(image, p + vec2(4.0, 0.0)) + texture2DRect(image, p - vec2(4.0, 0.0))) * 0.0162162162;
  gl_FragColor = c;
}
