//! purpose: some components of texels
//! size: 16 16
//! texture: image random 16 16
uniform sampler2DRect image;
void main() {
  vec3 c = texture2DRect(image, IJ + 0.5).bgr; float a = texture2DRect(image, IJ.yx + 0.5).a;
  gl_FragColor = vec4(c * a, a);
}
