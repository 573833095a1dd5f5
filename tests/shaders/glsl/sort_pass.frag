//! purpose: one pass of a bitonic sort of texels
//! size: 64 64
//! texture: data random 64 64
//! uniform: stage 8
//! uniform: distance 4
uniform sampler2DRect data; uniform float stage, distance;
void main() {
  float n = IJ.x, upper = mod(floor(n / distance), 2.0), partner = upper > 0.5 ? n - distance : n + distance,
      down = mod(floor(n / stage), 2.0);
  vec4 a = texture2DRect(data, vec2(n, IJ.y) + 0.5), b = texture2DRect(data, vec2(partner, IJ.y) + 0.5);
  bool least = (upper < 0.5) == (down < 0.5); gl_FragColor = least ? min(a, b) : max(a, b);
}
