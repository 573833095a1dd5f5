//! purpose: columns and elements, read and written
//! size: 16 16
void main() {
  mat3 m = mat3(1.0);
  m[0] = vec3(IJ, 2.0); m[1][2] = 5.0; m[2].xy = m[0].yz; m[1].x += m[0][1];
  gl_FragColor = vec4(m[0] + m[1] + m[2], m[2].y);
}
