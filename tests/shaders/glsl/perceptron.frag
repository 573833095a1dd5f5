//! purpose: a small network with weights in uniforms
//! size: 64 64
//! uniform: first 0.5 -1 0.25 1 0.75 -0.5 -0.25 0.5
//! uniform: bias 0.1 -0.2 0.3 -0.4
//! uniform: second 1 -1 0.5 2 -0.5 1 1 -2 0.25 0.5 -1 1
uniform vec2 first[4]; uniform vec4 bias; uniform vec4 second[3];
void main() {
  vec2 p = IJ / 32.0 - 1.0;
  vec4 h = max(vec4(dot(first[0], p), dot(first[1], p), dot(first[2], p), dot(first[3], p)) + bias, 0.0);
  vec3 o = vec3(dot(second[0], h), dot(second[1], h), dot(second[2], h));
  vec3 e = exp(o - max(o.x, max(o.y, o.z))); gl_FragColor = vec4(e / (e.x + e.y + e.z), 1.0);
}
