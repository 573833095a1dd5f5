//! purpose: a scene into three buffers
//! size: 64 64
//! outputs: 3
//! tolerance: 1e-4 0.01
void main() {
  vec2 p = (IJ - 31.3) / 26.0; float r = dot(p, p); vec3 n = vec3(0.0, 0.0, 1.0), c = vec3(0.2); float z = 4.0;
  if (r < 1.0) {
    n = vec3(p, sqrt(1.0 - r));
    c = mod(floor(n.x * 4.0) + floor(n.y * 4.0), 2.0) < 0.5 ? vec3(1.0, 0.3, 0.2) : vec3(0.9);
    z = 3.0 - n.z;
  }
  gl_FragData[0] = vec4(c, 1.0); gl_FragData[1] = vec4(n * 0.5 + 0.5, 0.0); gl_FragData[2] = vec4(z, 1.0 / z, 0.0, 0.0);
}
