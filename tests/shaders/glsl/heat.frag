//! purpose: a step of the equation of heat, with a source
//! size: 64 64
//! texture: field unit 64 64
//! uniform: source 20 40 1
uniform sampler2DRect field; uniform vec3 source;
void main() {
  vec2 p = IJ + 0.5; float c = texture2DRect(field, p).x;
  float l = texture2DRect(field, p + vec2(1.0, 0.0)).x + texture2DRect(field, p - vec2(1.0, 0.0)).x
      + texture2DRect(field, p + vec2(0.0, 1.0)).x + texture2DRect(field, p - vec2(0.0, 1.0)).x - 4.0 * c;
  float near = max(0.0, 1.0 - distance(IJ, source.xy) / 8.0) * source.z;
  gl_FragColor = vec4(c + 0.2 * l + near * 0.1, l, near, 1.0);
}
