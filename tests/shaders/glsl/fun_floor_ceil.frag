//! purpose: the next integers below and above
//! size: 16 16
void main() { vec2 p = (IJ - 8.0) * 0.3; gl_FragColor = vec4(floor(p), ceil(p)); }
