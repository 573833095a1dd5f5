//! purpose: more constants than an instruction can read
//! size: 16 16
//! uniform: a 1 2 3 4
//! uniform: b 0.5 0.25 0.125 1
//! uniform: c 3 1 4 1
//! uniform: d 2 7 1 8
uniform vec4 a, b, c, d;
void main() { vec4 p = vec4(IJ, IJ.yx); gl_FragColor = a * b + c * d + p * (a * c + b * d) + a.x * b.y * c.z * d.w; }
