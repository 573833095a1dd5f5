//! purpose: structures as parameters and results
//! size: 16 16
struct Hit { float t; vec3 n; };
Hit nearer(Hit a, Hit b) { if (a.t < b.t) return a; return b; }
void turn(inout Hit h) { h.n = h.n.zxy; h.t *= 2.0; }
void main() {
  Hit h = nearer(Hit(IJ.x, vec3(1.0, 2.0, 3.0)), Hit(IJ.y, vec3(4.0, 5.0, 6.0)));
  turn(h);
  gl_FragColor = vec4(h.n, h.t);
}
