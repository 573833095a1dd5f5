//! purpose: noise on triangles
//! size: 64 64
//! texture: grid random 16 16
//! tolerance: 1e-4 0.01
uniform sampler2DRect grid;
vec2 gradient(vec2 i) { return texture2DRect(grid, mod(i, 16.0) + 0.5).xy; }
void main() {
  vec2 p = IJ / 7.0 + 0.013; const float f = 0.366025404, g = 0.211324865;
  vec2 i = floor(p + (p.x + p.y) * f), a = p - i + (i.x + i.y) * g;
  vec2 o = a.x > a.y ? vec2(1.0, 0.0) : vec2(0.0, 1.0); vec2 b = a - o + g, c = a - 1.0 + 2.0 * g;
  vec3 h = max(0.5 - vec3(dot(a, a), dot(b, b), dot(c, c)), 0.0); vec3 h2 = h * h;
  vec3 n = h2 * h2 * vec3(dot(a, gradient(i)), dot(b, gradient(i + o)), dot(c, gradient(i + 1.0)));
  gl_FragColor = vec4(dot(n, vec3(70.0)), h);
}
