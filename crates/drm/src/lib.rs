//! `libctm_drm`: a render node of Linux behind which a software graphics card executes what its driver submits.
//!
//! The library is preloaded (`LD_PRELOAD`) into a program that draws. It takes over the functions of the C library by which a
//! driver finds and talks to `/dev/dri/renderD128`: names of files lead to files of its own (`sysfs`), an open node is a
//! descriptor of the one file in memory that holds all buffer objects (`memory`), so that the driver maps them itself, and
//! requests to it (`ioctl`) are answered here. Submissions go to a [`ctm_card::Card`]. Windows of X show
//! what it draws (`x11`).
//!
//! Nothing of Rust is offered: everything is reached through C symbols (`symbols`).
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

mod alarm;
mod device;
mod files;
mod foreign;
mod heap;
mod interface;
mod ioctl;
mod mapping;
mod memory;
mod objects;
mod options;
mod process;
mod real;
mod renderer;
mod symbols;
mod sysfs;
mod x11;
