//! Prints the reference of operations that ends `docs/lane-ir.md`.

fn main() {
    print!("{}", ctm_lane::operation_reference());
}
