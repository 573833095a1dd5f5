//! purpose: a function of some length that is called often
//! size: 16 16
float wave(vec2 p, float k) { vec2 q = fract(p * k) - 0.5; float d = dot(q, q); return d * (1.0 - d) * (2.0 + q.x * q.y); }
void main() {
  vec2 p = IJ / 16.0; float s = 0.0;
  s += wave(p, 1.0); s += wave(p.yx, 2.0); s += wave(p + 0.1, 3.0); s += wave(p - 0.3, 4.0); s += wave(p * p, 5.0);
  gl_FragColor = vec4(s, wave(p, 0.5), s * s, 1.0);
}
