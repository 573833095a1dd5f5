//! purpose: choices component by component
//! size: 16 16
//! r300: no
#version 130
void main() { vec3 a = vec3(IJ, 1.0), b = vec3(5.0); gl_FragColor = vec4(mix(a, b, lessThan(a, b)), 1.0); }
