//! purpose: one division by a value that is used often
//! size: 16 16
void main() { float w = IJ.x * 0.5 + 2.0; vec3 v = vec3(IJ, 3.0) / w; float k = 1.0 / w; gl_FragColor = vec4(v * k, v.x / w); }
