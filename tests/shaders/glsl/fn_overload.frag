//! purpose: functions of one name
//! size: 16 16
float size(float x) { return abs(x); }
float size(vec2 v) { return abs(v.x) + abs(v.y); }
float size(vec3 v) { return max(v.x, max(v.y, v.z)); }
void main() { gl_FragColor = vec4(size(IJ.x - 8.0), size(IJ - 4.0), size(vec3(IJ, 6.0)), 1.0); }
