//! purpose: dots as large as what they show is dark
//! size: 64 64
//! texture: image unit 64 64
//! tolerance: 1e-4 0.01
uniform sampler2DRect image;
void main() {
  mat2 turn = mat2(0.7071, 0.7071, -0.7071, 0.7071); vec2 p = turn * IJ / 6.0, c = floor(p) + 0.5;
  float d = distance(p, c), grey = dot(texture2DRect(image, floor(IJ / 8.0) * 8.0 + 4.5).rgb, vec3(0.333));
  gl_FragColor = vec4(vec3(d > sqrt(1.0 - grey) * 0.7 ? 1.0 : 0.0), d);
}
