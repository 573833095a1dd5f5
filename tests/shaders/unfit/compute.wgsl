//! error: 2 `main` is a compute shader, and only fragment shaders
@compute @workgroup_size(8) fn main() {
}
