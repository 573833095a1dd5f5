//! purpose: four textures, of both kinds
//! size: 16 16
//! texture: t0 random 16 16
//! texture: t1 random1 16 16
//! texture: t2 random2 8 8
//! texture: t3 random3 4 4
uniform sampler2DRect t0, t1;
uniform sampler2D t2, t3;
void main() {
  vec2 p = IJ + 0.5;
  gl_FragColor = texture2DRect(t0, p) + texture2DRect(t1, p) * texture2D(t2, p / 16.0) - texture2D(t3, p.yx / 16.0);
}
