//! purpose: a step of a reaction with diffusion
//! size: 64 64
//! texture: field unit 64 64
uniform sampler2DRect field;
void main() {
  vec2 p = IJ + 0.5; vec2 c = texture2DRect(field, p).xy; vec2 l = -c;
  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) {
    float w = i == 0 && j == 0 ? 0.0 : (i == 0 || j == 0 ? 0.2 : 0.05);
    l += texture2DRect(field, p + vec2(float(i), float(j))).xy * w;
  }
  float r = c.x * c.y * c.y; vec2 next = c + vec2(l.x - r + 0.055 * (1.0 - c.x), 0.5 * l.y + r - 0.117 * c.y);
  gl_FragColor = vec4(clamp(next, 0.0, 1.0), r, 1.0);
}
