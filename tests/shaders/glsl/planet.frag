//! purpose: a picture on a ball
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 1e-3 0.06
uniform sampler2D image;
void main() {
  vec2 p = (IJ - 31.37) / 30.0; float r = dot(p, p); vec4 c = vec4(0.0, 0.0, 0.0, 1.0);
  if (r < 1.0) {
    vec3 n = vec3(p, sqrt(1.0 - r));
    vec2 uv = vec2(atan(n.x, n.z) / 6.2831853 + 0.5, asin(n.y) / 3.14159265 + 0.5);
    c = texture2D(image, uv) * max(dot(n, vec3(0.6, 0.0, 0.8)), 0.0);
  }
  gl_FragColor = c;
}
