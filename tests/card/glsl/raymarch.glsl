// Rays through a scene of spheres.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

float scene(vec3 p) { vec3 q = mod(p + 1, 2) - 1; return min(length(q) - 0.55, p.y + 0.9); }
void main() { vec3 at = vec3(0, 0, -3), way = normalize(vec3(place * 2 - 1, 1.5)); float t = 0; int n = 0; for (; n < 48; n++) { float d = scene(at + way * t); if (d < 0.002 || t > 12) break; t += d; } vec3 p = at + way * t; vec2 e = vec2(0.01, 0); vec3 normal = normalize(vec3(scene(p + e.xyy) - scene(p - e.xyy), scene(p + e.yxy) - scene(p - e.yxy), scene(p + e.yyx) - scene(p - e.yyx))); colour = vec4((normal * 0.5 + 0.5) / (1 + t * 0.1), 1); }
