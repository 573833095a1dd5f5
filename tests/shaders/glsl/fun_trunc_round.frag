//! purpose: the integers towards zero and next to a number
//! size: 16 16
//! r300: no
#version 130
void main() { vec2 p = (IJ - 8.0) * 0.3; gl_FragColor = vec4(trunc(p), round(p.x), roundEven(p.y)); }
