//! purpose: nothing is left
//! size: 16 16
void main() { gl_FragColor = vec4(1.0); if (IJ.x > -1.0) discard; }
