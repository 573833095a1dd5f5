//! purpose: from hue, saturation and value
//! size: 64 64
vec3 rgb(vec3 c) {
  vec3 p = abs(fract(c.xxx + vec3(1.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0);
  return c.z * mix(vec3(1.0), clamp(p - 1.0, 0.0, 1.0), c.y);
}
void main() { gl_FragColor = vec4(rgb(vec3(IJ.x / 64.0, 0.8, IJ.y / 64.0)), 1.0); }
