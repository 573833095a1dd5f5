//! purpose: two colours of some pixels
//! size: 16 16
//! outputs: 2
void main() { if (mod(IJ.x, 4.0) > 2.5) discard; gl_FragData[0] = vec4(IJ, 1.0, 2.0); gl_FragData[1] = vec4(IJ.yx, 3.0, 4.0); }
