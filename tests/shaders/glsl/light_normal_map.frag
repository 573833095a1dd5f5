//! purpose: normals from a texture, turned to the surface
//! size: 64 64
//! texture: normals unit 64 64
//! tolerance: 1e-4
uniform sampler2DRect normals;
void main() {
  vec3 n = normalize(texture2DRect(normals, IJ + 0.5).xyz * 2.0 - vec3(1.0, 1.0, 0.5));
  vec3 t = normalize(vec3(1.0, IJ.x / 128.0, 0.0)), u = vec3(0.0, 0.0, 1.0), b = cross(u, t);
  mat3 m = mat3(t, b, u); vec3 w = m * n; float l = max(dot(w, normalize(vec3(32.0 - IJ, 20.0))), 0.0);
  gl_FragColor = vec4(w, l);
}
