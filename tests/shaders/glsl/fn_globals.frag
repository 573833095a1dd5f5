//! purpose: functions that change global variables
//! size: 16 16
float total = 1.0; vec2 place;
void move(vec2 by) { place += by; total += by.x * by.y; }
void main() {
  place = IJ; move(vec2(1.0, 2.0)); move(IJ / 16.0);
  if (IJ.x > 8.0) move(vec2(-3.0));
  gl_FragColor = vec4(place, total, 1.0);
}
