//! purpose: hyperbolic functions
//! size: 16 16
//! r300: no
//! tolerance: 1e-4
#version 130
void main() { vec2 p = (IJ - 8.0) * 0.25; gl_FragColor = vec4(sinh(p.x), cosh(p.y), tanh(p.x), tanh(p.y)); }
