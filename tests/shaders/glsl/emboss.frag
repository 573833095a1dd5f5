//! purpose: differences along a diagonal
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
void main() {
  vec3 c = texture2DRect(image, IJ - 0.5).rgb - texture2DRect(image, IJ + 1.5).rgb;
  float e = dot(c, vec3(0.333)) + 0.5; gl_FragColor = vec4(vec3(e), 1.0);
}
