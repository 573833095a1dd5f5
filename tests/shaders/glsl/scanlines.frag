//! purpose: the look of an old screen
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 1e-4 0.02
uniform sampler2D image;
void main() {
  vec2 p = (IJ + 0.5) / 32.0 - 1.0; p *= 1.0 + 0.1 * p.yx * p.yx; vec2 q = p * 0.5 + 0.5; vec3 c = vec3(0.0);
  if (all(greaterThan(q, vec2(0.0))) && all(lessThan(q, vec2(1.0)))) {
    c = vec3(texture2D(image, q + vec2(0.011, 0.0)).r, texture2D(image, q).g, texture2D(image, q - vec2(0.011, 0.0)).b);
    c *= 0.75 + 0.25 * sin(q.y * 200.0);
  }
  gl_FragColor = vec4(c, 1.0);
}
