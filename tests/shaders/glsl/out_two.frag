//! purpose: two colours
//! size: 16 16
//! outputs: 2
void main() { gl_FragData[0] = vec4(IJ, 0.0, 1.0); gl_FragData[1] = vec4(IJ.y, IJ.x * IJ.y, 0.5, 0.25); }
