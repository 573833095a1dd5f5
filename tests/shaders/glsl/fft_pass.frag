//! purpose: butterflies of complex numbers
//! size: 64 64
//! texture: data random 64 64
//! uniform: span 8
//! tolerance: 1e-4
uniform sampler2DRect data; uniform float span;
void main() {
  float n = IJ.x, k = mod(n, span * 2.0), upper = step(span, k), base = n - upper * span, angle = -3.14159265 * mod(n, span)
      / span;
  vec2 w = vec2(cos(angle), sin(angle));
  vec4 a = texture2DRect(data, vec2(base, IJ.y) + 0.5), b = texture2DRect(data, vec2(base + span, IJ.y) + 0.5);
  vec4 t = vec4(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x, w.x * b.z - w.y * b.w, w.x * b.w + w.y * b.z);
  gl_FragColor = upper > 0.5 ? a - t : a + t;
}
