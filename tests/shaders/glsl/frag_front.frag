//! purpose: the side of the face
//! size: 16 16
void main() { gl_FragColor = gl_FrontFacing ? vec4(IJ, 1.0, 1.0) : vec4(0.0); }
