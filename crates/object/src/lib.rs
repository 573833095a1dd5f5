//! Containers of GPU programs. Nothing here executes.
//!
//! - [`elf`]: the program image of CTM;
//! - [`raw`]: bare instruction words;
//! - [`mesa`]: the log of Mesa's r300 driver.
//!
//! Readers are total: any bytes give a program or a typed error that says where and what.
#![forbid(unsafe_code)]

pub mod elf;
pub mod mesa;
pub mod raw;
