//! purpose: fetches in branches
//! size: 16 16
//! texture: image random 16 16
uniform sampler2DRect image;
void main() {
  vec4 c = vec4(0.0);
  if (IJ.x > 8.0) c = texture2DRect(image, IJ.yx + 0.5); else if (IJ.y > 4.0) c = texture2DRect(image, vec2(3.5)) * IJ.x;
  gl_FragColor = c;
}
