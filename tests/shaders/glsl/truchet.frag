//! purpose: tiles that are turned by chance
//! size: 64 64
//! texture: chance unit 16 16
uniform sampler2DRect chance;
void main() {
  vec2 p = IJ / 8.0, c = floor(p), f = fract(p) - 0.5; if (texture2DRect(chance, mod(c, 16.0) + 0.5).x > 0.5) f.x = -f.x;
  vec2 q = f.x + f.y > 0.0 ? f - 0.5 : f + 0.5; float d = abs(length(q) - 0.5);
  gl_FragColor = vec4(smoothstep(0.15, 0.05, d), d, c);
}
