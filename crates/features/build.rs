//! Nothing: Cargo looks at dependencies of build scripts, which have the features of macros, where there is a build script.
fn main() {}
