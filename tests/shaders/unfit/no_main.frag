//! error: 2 the text has no `main`
float f(float x) { return x; }
