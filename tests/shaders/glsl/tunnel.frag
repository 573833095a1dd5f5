//! purpose: a picture on the walls of a tunnel
//! size: 64 64
//! texture: image unit 64 64
//! uniform: time 0.4
//! tolerance: 1e-3 0.06
uniform sampler2DRect image; uniform float time;
void main() {
  vec2 p = (IJ - 31.37) / 32.0; float r = length(p), a = atan(p.y, p.x) / 3.14159265;
  vec2 q = vec2(0.5 / r + time, a) * 16.0;
  gl_FragColor = texture2DRect(image, mod(q, 64.0)) * min(r * 2.0, 1.0);
}
