//! purpose: eight numbers in order by a network
//! size: 64 64
//! texture: data random 64 64
uniform sampler2DRect data;
void order(inout vec4 a, inout vec4 b) { vec4 t = a; a = min(t, b); b = max(t, b); }
void main() {
  vec4 a = texture2DRect(data, IJ + 0.5), b = texture2DRect(data, IJ.yx + 0.5);
  a = vec4(min(a.xz, a.yw), max(a.xz, a.yw)).xzyw; b = vec4(max(b.xz, b.yw), min(b.xz, b.yw)).xzyw;
  a = vec4(min(a.xy, a.wz), max(a.yx, a.zw)); b = vec4(max(b.xy, b.wz), min(b.yx, b.zw));
  order(a, b);
  gl_FragColor = vec4(min(a.xy, a.zw), max(b.xy, b.zw));
}
