//! purpose: a matrix of colours, and a vignette
//! size: 64 64
//! texture: image unit 64 64
uniform sampler2DRect image;
void main() {
  vec3 c = texture2DRect(image, IJ + 0.5).rgb;
  vec3 s = vec3(dot(c, vec3(0.393, 0.769, 0.189)), dot(c, vec3(0.349, 0.686, 0.168)), dot(c, vec3(0.272, 0.534, 0.131)));
  vec2 v = (IJ - 31.5) / 45.0; gl_FragColor = vec4(min(s, 1.0) * (1.0 - dot(v, v)), 1.0);
}
