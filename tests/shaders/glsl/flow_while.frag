//! purpose: a loop with its test in front
//! size: 16 16
void main() { float x = IJ.x + 1.0, n = 0.0; while (x < 100.0) { x *= 2.0; n += 1.0; } gl_FragColor = vec4(x, n, IJ.y, 1.0); }
