//! error: 9 loops are nested more than 4 deep
uniform float n;
void main() {
  float s = 0.0;
  for (float a = 0.0; a < n; a += 1.0)
  for (float b = 0.0; b < n; b += 1.0)
  for (float c = 0.0; c < n; c += 1.0)
  for (float d = 0.0; d < n; d += 1.0)
  for (float e = 0.0; e < n; e += 1.0)
    s += a * b + c * d + e;
  gl_FragColor = vec4(s);
}
