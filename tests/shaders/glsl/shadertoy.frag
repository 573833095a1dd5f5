//! purpose: names and an entry as shader sites have them
//! size: 64 64
//! uniform: iTime 1.25
//! uniform: iResolution 64 64 1
//! tolerance: 1e-4
uniform float iTime; uniform vec3 iResolution;
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
  vec2 uv = fragCoord / iResolution.xy;
  vec3 col = 0.5 + 0.5 * cos(iTime + uv.xyx + vec3(0.0, 2.0, 4.0));
  vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
  col *= smoothstep(0.9, 0.5, abs(length(p) - 0.5) + 0.3);
  fragColor = vec4(col, 1.0);
}
void main() { mainImage(gl_FragColor, gl_FragCoord.xy); }
