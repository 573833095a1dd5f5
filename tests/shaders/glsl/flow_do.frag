//! purpose: a loop with its test behind
//! size: 16 16
void main() { float x = IJ.x * 10.0, n = 0.0; do { x *= 0.5; n += 1.0; } while (x > 4.0); gl_FragColor = vec4(x, n, IJ.y, 1.0); }
