//! purpose: the colour is a variable
//! size: 16 16
void main() { gl_FragColor = vec4(IJ, 1.0, 1.0); gl_FragColor.xy += gl_FragColor.yx * 0.5; gl_FragColor *= gl_FragColor; }
