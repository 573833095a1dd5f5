//! purpose: inverse sines and cosines
//! size: 16 16
//! tolerance: 5e-4
void main() { vec2 p = (IJ - 8.0) / 8.0; gl_FragColor = vec4(asin(p), acos(p)); }
