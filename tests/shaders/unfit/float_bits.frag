//! error: 5 no integer bit operations
#version 330
out vec4 c;
void main() {
  c = vec4(float(floatBitsToInt(gl_FragCoord.x)));
}
