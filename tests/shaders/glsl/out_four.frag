//! purpose: four colours
//! size: 16 16
//! outputs: 4
void main() {
  vec2 p = IJ / 16.0;
  gl_FragData[0] = vec4(p, 0.0, 1.0); gl_FragData[1] = vec4(p.yx, p * 2.0);
  gl_FragData[2] = vec4(p.x * p.y); gl_FragData[3] = vec4(1.0, p.x - p.y, p + 1.0);
}
