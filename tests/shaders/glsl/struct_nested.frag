//! purpose: structures in structures
//! size: 16 16
struct Inner { vec2 a; float b; };
struct Outer { Inner first; Inner second; float c; };
void main() {
  Outer o = Outer(Inner(IJ, 1.0), Inner(IJ.yx, 2.0), 3.0);
  o.first.b += o.second.a.x; o.second = Inner(o.first.a * 2.0, o.c);
  gl_FragColor = vec4(o.second.a, o.first.b, o.second.b);
}
