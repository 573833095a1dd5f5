//! purpose: sines and cosines
//! size: 16 16
void main() { vec2 p = (IJ - 8.0) * 0.75; gl_FragColor = vec4(sin(p), cos(p)); }
