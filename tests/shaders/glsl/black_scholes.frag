//! purpose: prices of options
//! size: 64 64
//! tolerance: 1e-3
float normal(float x) {
  float k = 1.0 / (1.0 + 0.2316419 * abs(x)), p = k * (0.31938153 + k
      * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))), n = 0.39894228 * exp(-0.5 * x * x) * p;
  return x < 0.0 ? n : 1.0 - n;
}
void main() {
  float s = 5.0 + IJ.x, k = 20.0, t = 0.25 + IJ.y / 32.0, r = 0.05, v = 0.3, q = v * sqrt(t),
      d = (log(s / k) + (r + 0.5 * v * v) * t) / q, e = d - q, discount = k * exp(-r * t);
  gl_FragColor = vec4(s * normal(d) - discount * normal(e), discount * normal(-e) - s * normal(-d), d, e);
}
