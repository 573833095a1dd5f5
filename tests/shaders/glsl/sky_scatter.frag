//! purpose: a sky, integrated along rays
//! size: 64 64
//! tolerance: 1e-3
//! uniform: sun 0.3
uniform float sun;
void main() {
  vec2 p = IJ / 64.0; float up = max(p.y, 0.02); vec3 beta = vec3(0.055, 0.13, 0.33);
  float path = 1.0 / (up + 0.15); vec3 direct = exp(-beta * path * 1.5), sum = vec3(0.0);
  float c = cos((p.x - sun) * 3.0), rayleigh = 0.75 * (1.0 + c * c), g = 0.76, mie = 0.02 * (1.0 - g * g)
      / pow(1.0 + g * g - 2.0 * g * c, 1.5);
  for (int i = 0; i < 8; i++) {
    float t = (float(i) + 0.5) / 8.0 * path;
    sum += exp(-beta * t) * (rayleigh * beta + mie) * path / 8.0;
  }
  gl_FragColor = vec4(sum * (0.5 + 0.5 * direct), 1.0);
}
