//! error: 0
float f(float x) { return x; }
