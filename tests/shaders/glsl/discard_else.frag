//! purpose: the other branch is kept
//! size: 16 16
void main() { vec4 c; if (mod(IJ.x + IJ.y, 2.0) < 0.5) { c = vec4(IJ, 0.0, 1.0); } else discard; gl_FragColor = c; }
