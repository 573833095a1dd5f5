//! purpose: one branch
//! size: 16 16
void main() { vec4 c = vec4(IJ / 16.0, 0.0, 1.0); if (IJ.x > 7.0) { c.x = 1.0 - c.y; c.z = c.x * 0.5; } gl_FragColor = c; }
