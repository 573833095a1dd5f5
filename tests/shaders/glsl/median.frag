//! purpose: the median of nine by exchanges
//! size: 64 64
//! texture: image unit 64 64
#define EXCHANGE(a, b) { vec3 t = a; a = min(t, b); b = max(t, b); }
uniform sampler2DRect image;
void main() {
  vec3 v[9];
  for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) v[j * 3 + i] = texture2DRect(image, IJ + vec2(float(i), float(j))
      - 0.5).rgb;
  EXCHANGE(v[1], v[2]) EXCHANGE(v[4], v[5]) EXCHANGE(v[7], v[8]) EXCHANGE(v[0], v[1]) EXCHANGE(v[3], v[4]) EXCHANGE(v[6], v[7])
  EXCHANGE(v[1], v[2]) EXCHANGE(v[4], v[5]) EXCHANGE(v[7], v[8]) EXCHANGE(v[0], v[3]) EXCHANGE(v[5], v[8]) EXCHANGE(v[4], v[7])
  EXCHANGE(v[3], v[6]) EXCHANGE(v[1], v[4]) EXCHANGE(v[2], v[5]) EXCHANGE(v[4], v[7]) EXCHANGE(v[4], v[2]) EXCHANGE(v[6],
      v[4]) EXCHANGE(v[4], v[2])
  gl_FragColor = vec4(v[4], 1.0);
}
