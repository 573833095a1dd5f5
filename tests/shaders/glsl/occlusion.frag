//! purpose: how much of the surroundings is nearer
//! size: 64 64
//! texture: depths unit 64 64
uniform sampler2DRect depths;
void main() {
  float z = texture2DRect(depths, IJ + 0.5).x, hidden = 0.0;
  for (int ring = 1; ring <= 2; ring++) for (int i = 0; i < 4; i++) {
    vec2 o = i == 0 ? vec2(1.0, 0.0) : (i == 1 ? vec2(0.0, 1.0) : (i == 2 ? vec2(-1.0, 0.0) : vec2(0.0, -1.0)));
    float d = z - texture2DRect(depths, IJ + 0.5 + o * float(ring)).x;
    if (d > 0.02) hidden += 1.0 / (1.0 + d * 4.0);
  }
  gl_FragColor = vec4(vec3(1.0 - hidden / 8.0), z);
}
