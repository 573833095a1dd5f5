//! error: 3 more than 8 interpolated inputs
varying vec4 a[8];
varying vec4 b;
void main() { gl_FragColor = a[7] + b; }
