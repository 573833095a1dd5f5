//! purpose: returns from a loop in a loop
//! size: 16 16
vec2 find(float sum) {
  for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) if (float(i * j + i) == sum) return vec2(i, j);
  return vec2(-1.0);
}
void main() { gl_FragColor = vec4(find(IJ.x), find(IJ.y * 2.0)); }
