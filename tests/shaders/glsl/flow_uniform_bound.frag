//! purpose: a loop whose count is a uniform
//! size: 16 16
//! uniform: count 6
uniform int count;
void main() { float s = 0.0; for (int i = 0; i < count; i++) s += IJ.x * float(i); gl_FragColor = vec4(s, float(count), IJ); }
