//! purpose: vectors of floats
//! size: 16 16
//! uniform: a 1.5 -2
//! uniform: b 0.25 0.5 0.75
//! uniform: c 1 2 3 4
uniform vec2 a; uniform vec3 b; uniform vec4 c;
void main() { gl_FragColor = c * vec4(IJ * a, b.x, b.y) + vec4(b.zyx, a.y); }
