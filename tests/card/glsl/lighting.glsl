// A lit surface with specular light.
//// tolerance 1 4
//// vertex
#version 430
layout(location = 0) in vec2 corner; out vec3 normal; out vec3 at;
void main() { gl_Position = vec4(corner, 0, 1); float z = 0.4 * cos(corner.x * 3) * cos(corner.y * 3); at = vec3(corner, z); normal = vec3(1.2 * sin(corner.x * 3) * cos(corner.y * 3), 1.2 * cos(corner.x * 3) * sin(corner.y * 3), 1); }
//// fragment
#version 430
in vec3 normal; in vec3 at; out vec4 colour;
void main() { vec3 n = normalize(normal), l = normalize(vec3(0.5, 0.7, 1) - at), v = normalize(vec3(0, 0, 2) - at), h = normalize(l + v); float d = max(dot(n, l), 0), s = pow(max(dot(n, h), 0), 24); colour = vec4(vec3(0.1, 0.3, 0.5) * d + s * 0.6, 1); }
