//! purpose: the position of the pixel in cells
//! size: 16 16
void main() { vec2 cell = floor(gl_FragCoord.xy / 4.0), at = fract(gl_FragCoord.xy / 4.0); gl_FragColor = vec4(cell, at); }
