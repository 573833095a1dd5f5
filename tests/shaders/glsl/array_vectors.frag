//! purpose: an array of vectors by an index that is calculated
//! size: 16 16
void main() {
  vec3 colours[4]; colours[0] = vec3(1.0, 0.0, 0.0); colours[1] = vec3(0.0, 1.0, 0.5);
  colours[2] = vec3(0.25, 0.5, 1.0); colours[3] = vec3(IJ / 16.0, 0.0);
  gl_FragColor = vec4(colours[int(IJ.x / 4.0)] + colours[int(IJ.y / 4.0)] * 0.5, 1.0);
}
