//! purpose: construction and assignment of structures
//! size: 16 16
struct Ray { vec3 from; vec3 to; };
struct Pair { float a; int n; };
void main() {
  Ray ray = Ray(vec3(IJ, 0.0), vec3(1.0, 2.0, 3.0)), other = ray; Pair pair = Pair(IJ.x, 3);
  other.to = ray.from; other.from.x = pair.a * float(pair.n);
  gl_FragColor = vec4(other.from + ray.to, other.to.x);
}
