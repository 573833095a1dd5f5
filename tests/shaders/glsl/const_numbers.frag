//! purpose: constants of many sizes, and the forms of numbers
//! size: 16 16
void main() { gl_FragColor = vec4(IJ.x * 1e-3 + .5, 2.5e2 - IJ.y, 1234.5678 + IJ.x * 3., float(0x1F + 010) + IJ.y); }
