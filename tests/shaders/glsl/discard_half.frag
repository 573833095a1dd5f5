//! purpose: half of the picture is not written
//! size: 16 16
void main() { if (IJ.x < IJ.y) discard; gl_FragColor = vec4(IJ, 1.0, 1.0); }
