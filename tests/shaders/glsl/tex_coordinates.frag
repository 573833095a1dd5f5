//! purpose: coordinates that take some arithmetic
//! size: 16 16
//! texture: image random 16 16
uniform sampler2DRect image;
void main() {
  vec2 p = IJ - 7.5; float c = 0.8, s = 0.6; vec2 q = vec2(c * p.x - s * p.y, s * p.x + c * p.y) * 0.5 + 8.03;
  gl_FragColor = texture2DRect(image, q) * texture2DRect(image, vec2(15.5 - IJ.x, abs(p.y) + 0.5));
}
