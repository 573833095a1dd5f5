//! purpose: integers without a sign
//! size: 16 16
//! r300: no
#version 130
void main() { uint i = uint(IJ.x), j = uint(IJ.y) + 1u; gl_FragColor = vec4(float(i / j), float(i % j), float(i * j + 3u), 1.0); }
