//! purpose: a pixel is dropped behind its colour
//! size: 16 16
void main() { gl_FragColor = vec4(IJ / 16.0, 0.5, 1.0); float d = length(IJ - 7.5); if (d > 6.0) discard; gl_FragColor.z = d; }
