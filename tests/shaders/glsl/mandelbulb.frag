//! purpose: distance estimation with powers and angles
//! size: 64 64
//! r300: no
//! tolerance: 2e-2 0.1
float bulb(vec3 p) {
  vec3 z = p; float dr = 1.0, r = 0.0;
  for (int i = 0; i < 5; i++) {
    r = length(z); if (r > 2.0) break;
    float theta = acos(z.z / r) * 4.0, phi = atan(z.y, z.x) * 4.0, power = r * r * r * r;
    dr = r * r * r * 4.0 * dr + 1.0;
    z = power * vec3(sin(theta) * cos(phi), sin(phi) * sin(theta), cos(theta)) + p;
  }
  return 0.5 * log(r) * r / dr;
}
void main() {
  vec3 o = vec3(0.1, 0.2, -2.5), d = normalize(vec3((IJ - 31.5) / 40.0, 1.5)); float t = 0.0;
  for (int i = 0; i < 12; i++) { float s = bulb(o + d * t); t += s; if (s < 0.01 || t > 4.0) break; }
  gl_FragColor = vec4(t > 4.0 ? 4.0 : t, 0.0, 0.0, 1.0);
}
