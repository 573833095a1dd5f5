//! purpose: normals from derivatives of a height
//! size: 64 64
//! tolerance: 5e-4 0.01
void main() {
  float h = sin(IJ.x * 0.4) + cos(IJ.y * 0.3); vec3 n = normalize(vec3(-dFdx(h), -dFdy(h), 1.0));
  gl_FragColor = vec4(n * 0.5 + 0.5, max(dot(n, normalize(vec3(1.0, 1.0, 1.0))), 0.0));
}
