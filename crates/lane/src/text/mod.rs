//! The text form: one line for each declaration, block and instruction.
//!
//! ```text
//! surface s0 unit whole          ; loads give numbers in [0, 1]; all of it lies in memory
//! table t0 1024 finite
//! array a0 128 lane
//! buffers 1
//! b0:
//!     %0 = pos_x
//!     %1 = covered
//!     %2 = itof %0
//!     any %1, b1(%2), b2
//! b1(%3: lane):
//!     %4 = fma.ftz.zx %3, %3, %2
//!     jump b2
//! b2:
//!     return
//! ```
//!
//! Suffix attributes follow the name, other attributes come before the operands. A semicolon starts a comment. Printing
//! numbers values as the function does; parsing numbers them in the order of the text, so a function that
//! [`compact`](crate::Function::compact) has put in order is the same after printing and parsing.

mod parse;
mod print;
