//! purpose: a step of the equation of waves, of two fields
//! size: 64 64
//! texture: now random 64 64
//! texture: before random1 64 64
//! outputs: 2
uniform sampler2DRect now, before;
void main() {
  vec2 p = IJ + 0.5; float h = texture2DRect(now, p).x, old = texture2DRect(before, p).x;
  float l = texture2DRect(now, p + vec2(1.0, 0.0)).x + texture2DRect(now, p - vec2(1.0, 0.0)).x
      + texture2DRect(now, p + vec2(0.0, 1.0)).x + texture2DRect(now, p - vec2(0.0, 1.0)).x;
  float next = (l * 0.5 - old) * 0.98;
  gl_FragData[0] = vec4(next, h, 0.0, 1.0); gl_FragData[1] = vec4(normalize(vec3(h - next, h - old, 1.0)), h);
}
