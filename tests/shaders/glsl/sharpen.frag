//! purpose: a picture without its blur
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
void main() {
  vec2 p = IJ + 0.5; vec4 c = texture2DRect(image, p);
  vec4 n = texture2DRect(image, p + vec2(0.0, 1.0)) + texture2DRect(image, p + vec2(1.0, 0.0))
      + texture2DRect(image, p - vec2(0.0, 1.0)) + texture2DRect(image, p - vec2(1.0, 0.0));
  gl_FragColor = clamp(c + (4.0 * c - n) * 0.5, 0.0, 1.0);
}
