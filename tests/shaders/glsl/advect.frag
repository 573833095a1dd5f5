//! purpose: a field that is carried along, looked up between texels
//! size: 64 64
//! texture: field random 64 64
uniform sampler2DRect field;
vec4 smooth_at(vec2 p) {
  vec2 q = clamp(p, 0.0, 63.0), b = min(floor(q), 62.0), f = q - b; b += 0.5;
  return mix(mix(texture2DRect(field, b), texture2DRect(field, b + vec2(1.0, 0.0)), f.x),
      mix(texture2DRect(field, b + vec2(0.0, 1.0)), texture2DRect(field, b + 1.0), f.x), f.y);
}
void main() { vec2 v = texture2DRect(field, IJ + 0.5).xy; gl_FragColor = smooth_at(IJ - v * 2.5) * 0.99; }
