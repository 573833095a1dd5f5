//! purpose: constants, and what is calculated of them
//! size: 16 16
const float two = 2.0; const vec3 weights = vec3(0.25, 0.5, two * 0.125); const int count = 2 + 1;
const float quarter = 1.0 / (two * two);
void main() {
  float s = dot(vec3(IJ, two), weights); float a[count];
  for (int i = 0; i < count; i++) a[i] = s * float(i);
  gl_FragColor = vec4(s, quarter, a[2], sqrt(two));
}
