//! purpose: derivatives of linear functions
//! size: 16 16
void main() { float f = IJ.x * 3.0 + IJ.y * 0.5; gl_FragColor = vec4(dFdx(f), dFdy(f), fwidth(f), dFdx(IJ.x)); }
