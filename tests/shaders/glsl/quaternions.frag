//! purpose: rotations by quaternions
//! size: 64 64
//! tolerance: 5e-5
vec4 times(vec4 a, vec4 b) { return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz)); }
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 about(vec3 axis, float angle) { return vec4(axis * sin(angle * 0.5), cos(angle * 0.5)); }
void main() {
  vec4 q = times(about(vec3(0.0, 1.0, 0.0), IJ.x * 0.1), about(vec3(0.6, 0.0, 0.8), IJ.y * 0.1));
  gl_FragColor = vec4(turned(q, vec3(1.0, 2.0, 3.0)), dot(q, q));
}
