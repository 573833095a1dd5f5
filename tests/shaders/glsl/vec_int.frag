//! purpose: arithmetic of vectors of integers
//! size: 16 16
void main() {
  ivec2 p = ivec2(IJ); ivec3 a = ivec3(p, 3) * ivec3(2, -1, p.x), b = ivec3(p.yx, 1);
  ivec3 c = a + b - 2; ivec3 d = c / ivec3(2, 3, 4);
  gl_FragColor = vec4(vec3(c) + 0.25 * vec3(d), float(a == b ? 1 : 0));
}
