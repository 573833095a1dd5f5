//! error: 0 no fragment entry point
@compute @workgroup_size(8) fn main() {
}
