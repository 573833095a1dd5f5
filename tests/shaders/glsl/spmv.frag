//! purpose: rows of a sparse matrix by a vector
//! size: 64 64
//! texture: columns unit 4 64
//! texture: values random 4 64
//! texture: vector random1 64 1
uniform sampler2DRect columns, values, vector;
void main() {
  float sum = 0.0;
  for (float k = 0.0; k < 4.0; k += 1.0) {
    vec2 at = vec2(k, IJ.y) + 0.5; float c = floor(texture2DRect(columns, at).x * 63.0);
    sum += texture2DRect(values, at).y * texture2DRect(vector, vec2(mod(c + IJ.x, 64.0), 0.0) + 0.5).x;
  }
  gl_FragColor = vec4(sum, IJ, 1.0);
}
