//! purpose: an array of structures, and one inside
//! size: 16 16
struct Ball { vec2 at; float r[2]; };
void main() {
  Ball balls[3];
  for (int i = 0; i < 3; i++) { balls[i].at = IJ + float(i); balls[i].r[0] = float(i); balls[i].r[1] = 2.0; }
  vec4 c = vec4(0.0);
  for (int i = 0; i < 3; i++) c += vec4(balls[i].at, balls[i].r[0] * balls[i].r[1], 1.0);
  gl_FragColor = c;
}
