//! purpose: a picture in mirrors
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 1e-3 0.1
uniform sampler2DRect image;
void main() {
  vec2 p = IJ - 31.3; float r = length(p), a = atan(p.y, p.x), s = 6.2831853 / 6.0;
  a = abs(mod(a, s) - s * 0.5);
  gl_FragColor = texture2DRect(image, vec2(cos(a), sin(a)) * r + 20.27);
}
