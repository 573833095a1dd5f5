//! purpose: a number
//! size: 16 16
//! uniform: time 0.75
uniform float time;
void main() { gl_FragColor = vec4(IJ * time, time * time, 1.0 - time); }
