//! purpose: light where nothing is nearer to it, from four samples
//! size: 64 64
//! texture: shadow unit 64 64
uniform sampler2DRect shadow;
float lit(vec2 p, float z) { return texture2DRect(shadow, p).x < z ? 0.0 : 1.0; }
void main() {
  float z = IJ.y / 64.0 + 0.003; vec2 p = IJ * 0.5 + 16.25, f = fract(p); vec2 b = floor(p) + 0.5;
  gl_FragColor = vec4(mix(mix(lit(b, z), lit(b + vec2(1.0, 0.0), z), f.x), mix(lit(b + vec2(0.0, 1.0), z), lit(b + 1.0, z), f.x),
      f.y), z, f);
}
