//! purpose: what is above the next integer
//! size: 16 16
void main() { vec2 p = (IJ - 8.0) * 0.375; gl_FragColor = vec4(fract(p), fract(-p)); }
