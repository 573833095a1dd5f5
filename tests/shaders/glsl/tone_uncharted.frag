//! purpose: a curve of six numbers
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
vec3 curve(vec3 x) {
  const float a = 0.15, b = 0.5, c = 0.1, d = 0.2, e = 0.02, f = 0.3;
  return (x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f) - e / f;
}
void main() { vec3 c = texture2DRect(image, IJ + 0.5).rgb * 4.0; gl_FragColor = vec4(curve(c * 2.0) / curve(vec3(11.2)), 1.0); }
