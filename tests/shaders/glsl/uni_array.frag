//! purpose: arrays
//! size: 16 16
//! uniform: weights 0.1 0.2 0.3 0.4
//! uniform: colours 1 0 0 1 0 1 0 0.5 0 0 1 0.25
uniform float weights[4]; uniform vec4 colours[3];
void main() { gl_FragColor = colours[0] * weights[0] + colours[1] * weights[1] * IJ.x + colours[2] * weights[3] * IJ.y; }
