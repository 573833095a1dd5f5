//! purpose: degrees and radians
//! size: 16 16
void main() { gl_FragColor = vec4(radians(IJ * 20.0), degrees(IJ / 16.0)); }
