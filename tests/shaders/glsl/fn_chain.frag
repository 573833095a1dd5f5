//! purpose: functions that call functions
//! size: 16 16
float a(float x) { return x * 0.5 + 1.0; }
float b(float x) { return a(x) * a(x + 1.0); }
float c(float x) { return b(x) - a(b(x * 0.5)); }
float d(float x, float y) { return c(x) + c(y) * a(x * y); }
void main() { vec2 p = IJ / 16.0; gl_FragColor = vec4(d(p.x, p.y), d(p.y, p.x), c(p.x), b(p.y)); }
