//! Windows of X: what DRI3 does in an X server that shares a card with its clients, done in the client.
//!
//! An X server knows no card that one process has for itself, so it cannot show what lies in its buffer objects, and where a server has no
//! DRI3 Mesa draws with llvmpipe. Here the requests of DRI3 1.0 are answered before they reach the server (`requests`): the card's node is
//! what DRI3 opens, a pixmap of a buffer object is a pixmap of the server with a copy of its pixels (`pixmaps`), brought up to date when it
//! is presented or copied from, a buffer object of a pixmap, which a program draws as a texture, has a copy of the server's pixels (`imports`), and
//! fences are the process's own (`fences`). What is asked of the server is X11, MIT-SHM where there is
//! such, and Present (`xcb`). Nothing of it happens in programs that do not use X.
//!
//! Sources: the X protocol's DRI3, Present and MIT-SHM extensions, libxcb's headers.

mod fences;
mod image;
pub mod imports;
mod pixmaps;
mod rate;
mod requests;
pub mod screenshot;
mod xcb;
