//! purpose: a pass of sums of all before
//! size: 64 64
//! texture: data random 64 64
//! uniform: distance 4
uniform sampler2DRect data; uniform float distance;
void main() {
  vec4 a = texture2DRect(data, IJ + 0.5);
  if (IJ.x >= distance) a += texture2DRect(data, IJ + vec2(0.5 - distance, 0.5));
  gl_FragColor = a;
}
