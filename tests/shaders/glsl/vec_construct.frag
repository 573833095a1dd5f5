//! purpose: vectors from scalars, from smaller and from larger vectors
//! size: 16 16
void main() {
  vec2 p = IJ; vec3 a = vec3(p, 1.0), b = vec3(2.0, p); vec4 c = vec4(a, 3.0), d = vec4(p, p.yx);
  vec2 e = vec2(c), f = vec2(5.0); vec3 g = vec3(d); vec4 h = vec4(1.0, p, b.x);
  gl_FragColor = c + d + h + vec4(e + f, g.xy);
}
