//! purpose: members of a structure
//! size: 16 16
struct Light { vec3 place; float power; };
void main() {
  Light light; light.place = vec3(IJ, 4.0); light.power = 0.5; light.place.z += light.power;
  gl_FragColor = vec4(light.place * light.power, light.power);
}
