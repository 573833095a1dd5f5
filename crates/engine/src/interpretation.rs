//! Kernels' code for the interpreter, which is made when it first runs: where there is machine code, that is seldom.

use crate::interp::Code;
use ctm_lane::{Function, hoist_invariants, simplify};
use std::sync::OnceLock;

/// Makes a function.
pub(crate) type Maker = Box<dyn Fn() -> Function + Send + Sync>;

/// A function's code for the interpreter, now or later.
pub(crate) enum Interpretation {
    Made(Code),
    Later {
        function: Function,
        code: OnceLock<Code>,
    },
    /// The function itself is made later, too.
    Unmade {
        make: Maker,
        code: OnceLock<Code>,
    },
}

impl Interpretation {
    /// Makes the code of a function at once.
    pub fn new(function: Function) -> Self {
        Self::Made(lay_out(function))
    }

    /// Keeps the function until the code is wanted.
    pub fn later(function: Function) -> Self {
        Self::Later { function, code: OnceLock::new() }
    }

    /// Makes the function when the code is wanted.
    pub fn unmade(make: Maker) -> Self {
        Self::Unmade { make, code: OnceLock::new() }
    }

    /// The code.
    pub fn code(&self) -> &Code {
        match self {
            Self::Made(code) => code,
            Self::Later { function, code } => code.get_or_init(|| lay_out(function.clone())),
            Self::Unmade { make, code } => code.get_or_init(|| lay_out(make())),
        }
    }

    /// Bytes of memory that it takes, about. The code of a function that is there counts as made.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Made(code) => code.bytes(),
            Self::Later { function, .. } => 2 * Code::bytes_of(function),
            Self::Unmade { code, .. } => code.get().map_or(0, Code::bytes),
        }
    }
}

/// The interpreter's rows are no scarce registers: what is the same in every pass of a loop is computed in front of it.
fn lay_out(mut function: Function) -> Code {
    simplify(&mut function);
    hoist_invariants(&mut function);
    Code::new(&function)
}
