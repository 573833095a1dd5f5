//! purpose: a loop whose count comes from a texture
//! size: 16 16
//! texture: tex0 indices 16 4
uniform sampler2DRect tex0;
void main() {
  float n = texture2DRect(tex0, vec2(IJ.x, 1.5) + 0.5).x, s = 0.0;
  for (float i = 0.0; i < n; i += 1.0) s += i * 0.5;
  gl_FragColor = vec4(n, s, IJ);
}
