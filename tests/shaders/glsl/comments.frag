//! purpose: comments in all places
//! size: 16 16
/* in front */ void main() { // behind
  float a = /* inside */ IJ.x; /* over
  lines // with others */ float b = IJ.y; // the end /* no comment
  gl_FragColor = vec4(a, b, a + b, 1.0); }
