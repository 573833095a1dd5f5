//! purpose: two ways to compress light
//! size: 64 64
//! texture: image unit 64 64
//! uniform: exposure 3
uniform sampler2DRect image; uniform float exposure;
void main() {
  vec3 c = texture2DRect(image, IJ + 0.5).rgb * exposure;
  float l = dot(c, vec3(0.2126, 0.7152, 0.0722));
  vec3 a = c / (1.0 + c), b = c * (1.0 + l / 4.0) / (1.0 + l); gl_FragColor = vec4(mix(b, a, a), l);
}
