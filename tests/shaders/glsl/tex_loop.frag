//! purpose: fetches in a loop
//! size: 16 16
//! texture: image random 16 16
uniform sampler2DRect image;
void main() {
  vec4 s = vec4(0.0);
  for (float i = 0.0; i < 16.0; i += 1.0) s += texture2DRect(image, vec2(i, IJ.y) + 0.5) * (i + IJ.x);
  gl_FragColor = s;
}
