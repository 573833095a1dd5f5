//! purpose: functions with results
//! size: 16 16
float square(float x) { return x * x; }
vec2 turned(vec2 v) { return vec2(-v.y, v.x); }
void main() { gl_FragColor = vec4(turned(IJ), square(IJ.x) + square(square(IJ.y / 4.0)), turned(turned(IJ)).x); }
