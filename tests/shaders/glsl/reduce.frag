//! purpose: sums of blocks of sixteen texels
//! size: 16 16
//! texture: data random 64 64
uniform sampler2DRect data;
void main() {
  vec4 s = vec4(0.0), m = vec4(-2.0);
  for (float j = 0.0; j < 4.0; j += 1.0) for (float i = 0.0; i < 4.0; i += 1.0) {
    vec4 t = texture2DRect(data, IJ * 4.0 + vec2(i, j) + 0.5); s += t; m = max(m, t);
  }
  gl_FragColor = vec4(s.xy, m.zw);
}
