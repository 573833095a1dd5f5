//! purpose: two branches
//! size: 16 16
void main() { vec3 c; if (IJ.x + IJ.y > 14.0) c = vec3(IJ, 1.0); else c = vec3(2.0, IJ.yx) * 0.5; gl_FragColor = vec4(c, 1.0); }
