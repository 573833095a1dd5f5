//! purpose: to hue, saturation and value
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 1e-4
uniform sampler2DRect image;
void main() {
  vec3 c = texture2DRect(image, IJ + 0.5).rgb;
  vec4 p = c.g < c.b ? vec4(c.bg, -1.0, 2.0 / 3.0) : vec4(c.gb, 0.0, -1.0 / 3.0);
  vec4 q = c.r < p.x ? vec4(p.xyw, c.r) : vec4(c.r, p.yzx);
  float d = q.x - min(q.w, q.y), e = 1e-5; gl_FragColor = vec4(abs(q.z + (q.w - q.y) / (6.0 * d + e)), d / (q.x + e), q.x, 1.0);
}
