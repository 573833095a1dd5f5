//! purpose: coordinates that are divided
//! size: 16 16
//! texture: image random 16 16
uniform sampler2DRect image;
void main() {
  gl_FragColor = texture2DRectProj(image, vec3((IJ + 0.5) * 2.0, 2.0))
      + texture2DRectProj(image, vec4((IJ.yx + 0.5) * 4.0, 7.0, 4.0));
}
