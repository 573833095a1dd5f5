//! purpose: steps
//! size: 16 16
void main() { gl_FragColor = vec4(step(4.0, IJ), step(IJ, vec2(8.0, IJ.x))); }
