//! purpose: branches by uniforms
//! size: 16 16
//! uniform: mode 2
//! uniform: limit 7.5
uniform int mode; uniform float limit;
void main() {
  vec4 c = vec4(IJ, 0.0, 1.0);
  if (mode == 1) c = c.yxwz;
  else if (mode == 2) c.z = limit;
  if (IJ.x > limit) c *= 0.5;
  gl_FragColor = c;
}
