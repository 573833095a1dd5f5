//! purpose: an ordered pattern
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
void main() {
  vec2 p = mod(IJ, 4.0), q = mod(IJ, 2.0), h = floor(p / 2.0);
  float fine = q.x * 2.0 + q.y * 3.0 - q.x * q.y * 4.0, coarse = h.x * 2.0 + h.y * 3.0 - h.x * h.y * 4.0,
      threshold = (fine * 4.0 + coarse + 0.5) / 16.0;
  vec3 c = texture2DRect(image, IJ + 0.5).rgb; gl_FragColor = vec4(step(threshold, c), threshold);
}
