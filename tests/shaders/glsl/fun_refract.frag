//! purpose: refraction, and total reflection
//! size: 16 16
void main() {
  vec3 n = vec3(0.0, 1.0, 0.0), i = normalize(vec3(IJ.x - 8.0, -IJ.y * 0.5 - 0.25, 1.0));
  gl_FragColor = vec4(refract(i, n, 1.5), refract(i, n, 0.75).x);
}
