//! From primitives to pixels.
