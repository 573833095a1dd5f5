//! purpose: swizzles of swizzles
//! size: 16 16
void main() {
  vec4 v = vec4(IJ, 7.0, 9.0);
  vec2 a = v.wzyx.yz.yx; float b = v.xyz.zyx.x;
  vec3 c = (v.xyz * 2.0 - v.wxy).zzx;
  gl_FragColor = vec4(a, b, 1.0) + vec4(c, 0.0);
}
