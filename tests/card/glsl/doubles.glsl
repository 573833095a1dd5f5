// Double precision.
//// tolerance 1 4
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { double x = double(place.x) * 1000.0lf + 1.0lf, y = double(place.y) + 1e-9lf; dvec2 v = dvec2(x, y) * 0.5lf; double r = fma(x, y, -floor(x * y)) ; colour = vec4(float(fract(x)), float(sqrt(y)), float(v.x / 600.0lf), float(dot(v, v) / 300000.0lf)); if (r > 0.5lf) colour.a += 0.2; colour.b += float(int(x) % 3) * 0.1; }
