//! purpose: a step of gravity among a few bodies
//! size: 64 64
//! texture: places random 16 16
//! tolerance: 1e-4
//! outputs: 2
uniform sampler2DRect places;
void main() {
  vec2 at = mod(IJ, 16.0) + 0.5; vec4 p = texture2DRect(places, at); vec3 a = vec3(0.0);
  for (float k = 0.0; k < 16.0; k += 1.0) {
    vec4 q = texture2DRect(places, vec2(k, at.y - 0.5) + 0.5); vec3 d = q.xyz - p.xyz;
    float r = dot(d, d) + 0.05, i = inversesqrt(r); a += d * (abs(q.w) * i * i * i);
  }
  gl_FragData[0] = vec4(p.xyz + a * 0.005, p.w); gl_FragData[1] = vec4(a, 1.0);
}
