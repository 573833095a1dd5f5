//! error: 5 the hardware has no `double`
#version 400
out vec4 c;
void main() {
  double d = 1.0;
  c = vec4(d);
}
