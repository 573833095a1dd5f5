//! purpose: the least and the greatest
//! size: 16 16
void main() { vec3 a = vec3(IJ, 4.0), b = vec3(IJ.y, 9.0, IJ.x); gl_FragColor = vec4(min(a, b) - max(a, 6.0), min(IJ.x, 5.0)); }
