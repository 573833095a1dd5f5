//! purpose: integers
//! size: 16 16
//! uniform: n 5
//! uniform: v 2 -3
uniform int n; uniform ivec2 v;
void main() { ivec2 p = ivec2(IJ) * v + n; gl_FragColor = vec4(vec2(p), float(n / v.x), float(n + v.y)); }
