//! purpose: macros of macros, over several lines
//! size: 16 16
#define A(x) (x + 1.0)
#define B(x) A(x * 2.0)
#define LOOP(n, body) for (int i = 0; i < n; i++) { body; }
void main() { float s = 0.0; LOOP(3, s += B(IJ.x)) LOOP(2, s *= 0.5) gl_FragColor = vec4(s, A(B(IJ.y)), IJ); }
