//! purpose: square roots, and their reciprocals
//! size: 16 16
void main() { gl_FragColor = vec4(sqrt(IJ), inversesqrt(IJ + 0.25)); }
