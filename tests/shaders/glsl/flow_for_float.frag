//! purpose: a loop that counts with a float
//! size: 16 16
void main() {
  float s = 0.0;
  for (float t = 0.0; t < 1.0; t += 0.125) s += t * IJ.x - t * t * IJ.y;
  gl_FragColor = vec4(s, IJ, 1.0);
}
