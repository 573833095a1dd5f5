//! Runs programs of guest machines as lane IR, over the lanes of a domain, on all cores.
//!
//! The engine itself knows no guest. It knows functions and what their names stand for:
//!
//! - a [`Kernel`] is a function, simplified, with machine code where a [`Backend`] makes it, else laid out for the interpreter;
//! - a [`Launch`] is one start of it: the lanes, and [`Bindings`] of surfaces, tables and buffers. [`Kernel::run`] gives
//!   statistics or a [`Stop`];
//! - a [`Grouping`] says what lanes have to do with each other. Group-independent kernels run as machine code, or interpreted in
//!   groups as they come; the others are interpreted in lockstep.
//!
//! # Guests
//!
//! A guest machine implements [`GuestJob`] for what it calls a run of a program. It supplies:
//!
//! 1. a *specialisation key*: all that its lifted functions depend on, compared by value (the program, options,
//!    [`SurfaceLayout`] of the surfaces). The engine keeps the compiled programs of the last keys;
//! 2. the *lift*: from the key to a function and a [`Kernel`], or several if no form fits all runs;
//! 3. the *binding*: from one run's memory and constants to [`Bindings`], as the lift numbered surfaces, tables, buffers;
//! 4. the *traps*: from a [`Stop`] to the guest's error;
//! 5. the *order*: whether lanes meet in memory, which makes a run [keep one](in_order);
//! 6. the *reference*: the scalar golden model, which also runs what no kernel runs.
//!
//! Limits on loops are the options' step limit, which `steps` operations count; a function should not count by itself, since
//! what a count has reached depends on who is in the group.
#![forbid(unsafe_code)]

pub mod backend;
mod budgeted_once;
mod cache;
mod ending;
mod engine;
mod executor;
mod guest;
mod interior;
pub mod interp;
mod interpretation;
mod kernel;
mod launch;
mod order;
mod runtime;
pub mod schedule;
mod stages;
mod stop;
mod tiles;
mod use_counts;
mod variants;
mod workers;

pub use backend::{
    Backend, Bindings, BoundCode, Code, CodeCounts, Incomplete, KernelSource, LINE, RectangleOutcome, Refusal,
    SurfaceLayout,
};
pub use budgeted_once::BudgetedOnce;
pub use cache::CacheStats;
pub use ending::SHORT;
pub use engine::{Compiled, Engine};
pub use executor::Executor;
pub use guest::GuestJob;
pub use kernel::{Grouping, Kernel, KernelFunctions};
pub use launch::Launch;
pub use order::in_order;
pub use runtime::Runtime;
pub use stages::{Specialised, Stages};
pub use stop::Stop;
pub use use_counts::UseCounts;
pub use workers::Workers;
