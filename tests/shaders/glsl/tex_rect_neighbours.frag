//! purpose: texels beside each other, at the edges too
//! size: 16 16
//! texture: image random 16 16
uniform sampler2DRect image;
void main() {
  vec2 p = IJ + 0.5;
  gl_FragColor = texture2DRect(image, p + vec2(1.0, 0.0)) - texture2DRect(image, p - vec2(1.0, 0.0))
      + texture2DRect(image, p + vec2(0.0, 1.0)) * 2.0 - texture2DRect(image, p - vec2(0.0, 1.0));
}
