//! purpose: a mean over a square whose radius is a uniform
//! size: 64 64
//! texture: image unit 64 64
//! uniform: radius 2
uniform sampler2DRect image; uniform float radius;
void main() {
  vec4 sum = vec4(0.0); float n = 0.0;
  for (float y = -radius; y <= radius; y += 1.0) for (float x = -radius; x <= radius; x += 1.0) {
    sum += texture2DRect(image, IJ + 0.5 + vec2(x, y)); n += 1.0;
  }
  gl_FragColor = sum / n;
}
