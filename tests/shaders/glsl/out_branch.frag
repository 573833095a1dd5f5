//! purpose: two colours that branches choose
//! size: 16 16
//! outputs: 2
void main() {
  if (IJ.x > 7.0) { gl_FragData[0] = vec4(1.0, IJ, 0.0); gl_FragData[1] = vec4(IJ.x); } else {
    gl_FragData[0] = vec4(IJ, 0.5, 1.0); gl_FragData[1] = vec4(IJ.y);
  }
}
