//! purpose: a structure
//! size: 16 16
//! uniform: light.place 1 2 3
//! uniform: light.power 0.5
struct Light { vec3 place; float power; };
uniform Light light;
void main() { vec3 d = light.place - vec3(IJ / 8.0, 0.0); gl_FragColor = vec4(d * light.power, dot(d, d)); }
