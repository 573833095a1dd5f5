//! purpose: the position of the pixel
//! size: 16 16
void main() { gl_FragColor = vec4(gl_FragCoord.xy, gl_FragCoord.x * gl_FragCoord.y, 1.0); }
