//! purpose: sums of eight textures
//! size: 16 16
//! texture: t0 random 16 16
//! texture: t1 random1 16 16
//! texture: t2 random2 16 16
//! texture: t3 random3 16 16
//! texture: t4 unit 16 16
//! texture: t5 bits 16 16
//! texture: t6 indices 16 16
//! texture: t7 random 16 16
uniform sampler2DRect t0, t1, t2, t3, t4, t5, t6, t7;
void main() {
  vec2 p = IJ + 0.5;
  vec4 s = texture2DRect(t0, p) + texture2DRect(t1, p) * 0.5 + texture2DRect(t2, p) * 0.25 + texture2DRect(t3, p) * 0.125;
  gl_FragColor = s + texture2DRect(t4, p) * texture2DRect(t5, p) - texture2DRect(t6, p) * texture2DRect(t7, p);
}
