//! purpose: an ordered pattern from a table
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
const float pattern[16] = float[16](0.0, 8.0, 2.0, 10.0, 12.0, 4.0, 14.0, 6.0, 3.0, 11.0, 1.0, 9.0, 15.0, 7.0, 13.0, 5.0);
void main() {
  int i = int(mod(IJ.x, 4.0)) + 4 * int(mod(IJ.y, 4.0)); float t = (pattern[i] + 0.5) / 16.0;
  gl_FragColor = vec4(step(vec3(t), texture2DRect(image, IJ + 0.5).rgb), t);
}
