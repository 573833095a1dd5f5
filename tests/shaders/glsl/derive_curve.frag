//! purpose: differences inside of quads
//! size: 16 16
void main() { float f = IJ.x * IJ.x * 0.25, g = sin(IJ.y); gl_FragColor = vec4(dFdx(f), dFdy(g), fwidth(f), fwidth(g)); }
