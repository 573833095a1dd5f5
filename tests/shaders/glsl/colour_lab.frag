//! purpose: to a space of even steps
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 5e-4
uniform sampler2DRect image;
float f(float t) { return t > 0.008856 ? pow(t, 1.0 / 3.0) : 7.787 * t + 16.0 / 116.0; }
void main() {
  vec3 c = texture2DRect(image, IJ + 0.5).rgb;
  vec3 x = mat3(0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505) * c / vec3(0.9505, 1.0, 1.089);
  vec3 g = vec3(f(x.x), f(x.y), f(x.z));
  gl_FragColor = vec4(116.0 * g.y - 16.0, 500.0 * (g.x - g.y), 200.0 * (g.y - g.z), 1.0);
}
