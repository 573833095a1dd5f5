//! error: 4 this operator does not take an ivec2 and an ivec3
#version 130
void main() {
  ivec2 a = ivec2(gl_FragCoord.xy) % ivec3(3);
  gl_FragColor = vec4(a, 0, 1);
}
