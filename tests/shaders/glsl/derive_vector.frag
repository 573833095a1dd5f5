//! purpose: derivatives of vectors
//! size: 16 16
void main() { vec3 v = vec3(IJ.x * 2.0, IJ.x + IJ.y, IJ.y * IJ.y); gl_FragColor = vec4(dFdx(v) + dFdy(v), dFdx(v.xy).y); }
