//! purpose: booleans
//! size: 16 16
//! uniform: yes 1
//! uniform: some 1 0 1
uniform bool yes; uniform bvec3 some;
void main() {
  vec3 c = vec3(0.0);
  if (yes) c += vec3(IJ, 1.0);
  if (some.y) c *= 100.0;
  if (some.x && some.z) c.z += 0.5;
  gl_FragColor = vec4(c, yes ? 1.0 : 0.0);
}
