//! purpose: colours by cosines
//! size: 64 64
//! tolerance: 5e-5
void main() {
  float t = IJ.x / 64.0 + IJ.y / 16.0;
  vec3 c = vec3(0.5) + vec3(0.5) * cos(6.28318 * (vec3(1.0, 1.0, 0.5) * t + vec3(0.8, 0.9, 0.3)));
  gl_FragColor = vec4(c, t);
}
