//! purpose: interpolation by hand
//! size: 16 16
//! texture: image random 16 16
uniform sampler2DRect image;
void main() {
  vec2 p = IJ * 0.7 + 0.9, f = fract(p), b = floor(p) + 0.5;
  vec4 top = mix(texture2DRect(image, b), texture2DRect(image, b + vec2(1.0, 0.0)), f.x),
      low = mix(texture2DRect(image, b + vec2(0.0, 1.0)), texture2DRect(image, b + vec2(1.0, 1.0)), f.x);
  gl_FragColor = mix(top, low, f.y);
}
