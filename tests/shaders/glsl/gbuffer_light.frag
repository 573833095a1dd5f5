//! purpose: light for a buffer of normals, depths and colours
//! size: 64 64
//! texture: normals random 64 64
//! texture: colours unit 64 64
//! texture: depths random1 64 64
//! tolerance: 1e-4
uniform sampler2DRect normals, colours, depths;
void main() {
  vec2 at = IJ + 0.5;
  vec3 n = normalize(texture2DRect(normals, at).xyz + vec3(0.0, 0.0, 1.5)), c = texture2DRect(colours, at).rgb;
  float z = texture2DRect(depths, at).x + 2.0;
  vec3 p = vec3((IJ - 31.5) / 32.0 * z, z), light = vec3(0.0);
  for (int i = 0; i < 6; i++) {
    vec3 l = vec3(cos(float(i)), sin(float(i)), 0.5) - p; float d = dot(l, l) + 0.1;
    light += c * max(dot(n, l), 0.0) * inversesqrt(d) / d;
  }
  gl_FragColor = vec4(light, z);
}
