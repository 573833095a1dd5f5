//! purpose: distances to the nearest and the second nearest point
//! size: 64 64
//! texture: points unit 16 16
//! tolerance: 1e-4 0.01
uniform sampler2DRect points;
void main() {
  vec2 p = IJ / 8.0, cell = floor(p); float first = 9.0, second = 9.0; vec2 owner = vec2(0.0);
  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) {
    vec2 c = cell + vec2(float(i), float(j)), at = c + texture2DRect(points, mod(c, 16.0) + 0.5).xy; float d = distance(p, at);
    if (d < first) { second = first; first = d; owner = c; } else if (d < second) second = d;
  }
  gl_FragColor = vec4(first, second, owner);
}
