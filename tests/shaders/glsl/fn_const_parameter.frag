//! purpose: parameters that do not change
//! size: 16 16
float weighted(const vec3 v, const in float w) { return dot(v, vec3(w, w * w, 1.0)); }
void main() { gl_FragColor = vec4(weighted(vec3(IJ, 1.0), 0.5), weighted(vec3(IJ.yx, 2.0), 0.25), 0.0, 1.0); }
