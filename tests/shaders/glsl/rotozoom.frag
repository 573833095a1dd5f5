//! purpose: a picture that is turned, scaled and repeated
//! size: 64 64
//! texture: image unit 64 64
//! uniform: angle 0.7
//! uniform: scale 1.7
//! tolerance: 1e-4 0.02
uniform sampler2DRect image; uniform float angle, scale;
void main() {
  float c = cos(angle) * scale, s = sin(angle) * scale; vec2 p = mat2(c, s, -s, c) * (IJ - 31.5);
  gl_FragColor = texture2DRect(image, mod(p + 0.013, 64.0));
}
