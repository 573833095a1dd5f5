//! purpose: elements of arrays by indices that are calculated
//! size: 16 16
//! uniform: weights 0.5 1 2 4 8 16
uniform float weights[6];
void main() {
  int i = int(mod(IJ.x, 6.0)); float s = 0.0;
  for (int j = 0; j < 6; j++) s += weights[j] * IJ.y;
  gl_FragColor = vec4(weights[i], s, IJ);
}
