//! The reference in the documentation is the one that the table gives.

#[test]
fn documentation_lists_the_operations_as_they_are() {
    let document = include_str!("../../../docs/lane-ir.md");
    let (_, listed) = document.split_once("<!-- operations -->\n\n").expect("the document marks the reference");
    let hint = "run `cargo run -p ctm-lane --example lane-reference` and put its output after the mark";
    assert!(listed == ctm_lane::operation_reference(), "{hint}");
}
