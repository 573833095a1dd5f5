// Products, transposed and inverse matrices, determinants.
//// tolerance 1 0
//// fragment
#version 430
in vec2 place; out vec4 colour;

void main() { mat3 m = mat3(1, place.x, 0.2, -0.3, 1.5, place.y, 0.1, 0.4, 2); mat3 i = inverse(m); mat2x3 w = mat2x3(place, 1, 0.5, place.yx); vec3 v = i * vec3(place, 1); vec2 u = vec3(place, 0.2) * w; colour = vec4(v * 0.5 + 0.3, determinant(m) * 0.2); colour.xy += 0.1 * u + 0.1 * (transpose(w) * v); colour += 0.05 * (outerProduct(place, place)[0].xyxy + matrixCompMult(m, i)[1].xyzx); }
