//! purpose: macros for values and expressions
//! size: 16 16
#define SCALE 0.25
#define SQUARE(x) ((x) * (x))
#define SUM(a, b) (SQUARE(a) + SQUARE(b))
void main() { gl_FragColor = vec4(IJ * SCALE, SUM(IJ.x + 1.0, IJ.y), SQUARE(SCALE)); }
