//! The C++ client of the tour prints what its comment says.
#![cfg(all(unix, not(target_vendor = "apple")))]

mod compiler;

use compiler::{Link, Scratch, build, is_compiler_there, succeed};
use std::process::Command;

const TOUR: &str = include_str!("../../../docs/tour.md");

/// The only block of the tour in a language.
fn block(language: &str) -> &'static str {
    let start = format!("\n```{language}\n");
    let mut blocks = TOUR.split(&start).skip(1);
    let block = blocks.next().expect("a block").split_once("```\n").expect("the end of the block").0;
    assert!(blocks.next().is_none(), "more than one {language} block");
    block
}

#[test]
fn the_client_in_cpp_prints_what_it_says() {
    let scratch = Scratch::new();
    let source = scratch.file("client.cpp", block("cpp"));
    if is_compiler_there(&source) {
        // A comment of C++ stands in an example for people, who have newer compilers.
        build(&source, &scratch.path("client"), Link::Shared, &["-std=c++11"]);
        assert_eq!(succeed(&mut Command::new(scratch.path("client"))).stdout, b"52\n");
    }
}
