//! purpose: functions that are declared before they are defined
//! size: 16 16
float later(float x);
float first(float x) { return later(x) + 1.0; }
float later(float x) { return x * 2.0; }
void main() { gl_FragColor = vec4(first(IJ.x), later(IJ.y), first(later(IJ.x)), 1.0); }
