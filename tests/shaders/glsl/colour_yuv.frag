//! purpose: to another space, changed, and back
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
void main() {
  mat3 to = mat3(0.299, -0.14713, 0.615, 0.587, -0.28886, -0.51499, 0.114, 0.436, -0.10001),
      from = mat3(1.0, 1.0, 1.0, 0.0, -0.39465, 2.03211, 1.13983, -0.5806, 0.0);
  vec3 c = to * texture2DRect(image, IJ + 0.5).rgb; c.yz = mat2(0.8, 0.6, -0.6, 0.8) * c.yz; gl_FragColor = vec4(from * c, c.x);
}
