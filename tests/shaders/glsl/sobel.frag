//! purpose: edges
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
float grey(float x, float y) { return dot(texture2DRect(image, IJ + 0.5 + vec2(x, y)).rgb, vec3(0.299, 0.587, 0.114)); }
void main() {
  float a = grey(-1.0, -1.0), b = grey(0.0, -1.0), c = grey(1.0, -1.0), d = grey(-1.0, 0.0), e = grey(1.0, 0.0),
      f = grey(-1.0, 1.0), g = grey(0.0, 1.0), h = grey(1.0, 1.0);
  vec2 s = vec2(c + 2.0 * e + h - a - 2.0 * d - f, f + 2.0 * g + h - a - 2.0 * b - c);
  gl_FragColor = vec4(s, length(s), 1.0);
}
