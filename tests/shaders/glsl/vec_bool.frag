//! purpose: vectors of booleans and what is made of them
//! size: 16 16
void main() {
  bvec4 b = bvec4(IJ.x > 3.0, IJ.y > 3.0, IJ.x > IJ.y, true);
  b.w = b.x && !b.y; bvec2 c = b.zw;
  gl_FragColor = vec4(b) * vec4(1.0, 2.0, 4.0, 8.0) + vec4(any(c), all(b.xyz), any(not(b)), b.xy == c);
}
