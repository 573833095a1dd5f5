//! purpose: parameters that are changed
//! size: 16 16
void swap(inout float a, inout float b) { float t = a; a = b; b = t; }
void order(inout vec3 v) { if (v.x > v.y) swap(v.x, v.y); if (v.y > v.z) swap(v.y, v.z); if (v.x > v.y) swap(v.x, v.y); }
void main() { vec3 v = vec3(IJ.x, IJ.y, 8.0); order(v); gl_FragColor = vec4(v, 1.0); }
