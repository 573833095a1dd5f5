//! purpose: vectors of length 1
//! size: 16 16
void main() { gl_FragColor = vec4(normalize(vec3(IJ - 7.5, 2.0)), normalize(IJ - 7.5).x); }
