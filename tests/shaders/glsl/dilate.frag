//! purpose: the greatest of neighbours
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
void main() {
  vec4 m = vec4(0.0);
  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) m = max(m,
      texture2DRect(image, IJ + 0.5 + vec2(float(i), float(j))));
  gl_FragColor = m;
}
