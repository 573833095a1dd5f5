//! purpose: modes in which pictures are laid over each other
//! size: 64 64
//! texture: below unit 64 64
//! texture: above random1 64 64
uniform sampler2DRect below, above;
float overlay(float a, float b) { return a < 0.5 ? 2.0 * a * b : 1.0 - 2.0 * (1.0 - a) * (1.0 - b); }
void main() {
  vec4 a = texture2DRect(below, IJ + 0.5), b = abs(texture2DRect(above, IJ + 0.5)); vec3 c; float mode = floor(IJ.x / 13.0);
  if (mode == 0.0) c = a.rgb * b.rgb;
  else if (mode == 1.0) c = 1.0 - (1.0 - a.rgb) * (1.0 - b.rgb);
  else if (mode == 2.0) c = vec3(overlay(a.r, b.r), overlay(a.g, b.g), overlay(a.b, b.b));
  else if (mode == 3.0) c = abs(a.rgb - b.rgb);
  else c = mix(a.rgb, b.rgb, b.a);
  gl_FragColor = vec4(c, a.a + b.a * (1.0 - a.a));
}
