//! purpose: four fetches, each at what the last gave
//! size: 16 16
//! texture: map unit 16 16
uniform sampler2DRect map;
void main() {
  vec4 c = vec4(IJ / 16.0, 0.0, 0.0);
  for (int i = 0; i < 4; i++) c = texture2DRect(map, floor(c.xy * 15.9) + 0.5);
  gl_FragColor = c;
}
