//! Kernels' code for the interpreter, which is made when it first runs: where there is machine code, that is seldom.

use crate::budgeted_once::BudgetedOnce;
use crate::interp::Code;
use ctm_lane::effort::Effort;
use ctm_lane::{Function, hoist_invariants_within, simplify_within};
use std::sync::OnceLock;

/// Makes a function.
pub(crate) type Maker = Box<dyn Fn(&Effort) -> Function + Send + Sync>;

/// A function's code for the interpreter, now or later.
pub(crate) enum Interpretation {
    Made(Code),
    Later {
        function: Function,
        code: BudgetedOnce<Code>,
        /// As it is, for runs that are nearly over.
        rough: OnceLock<Code>,
    },
    /// The function itself is made later, too.
    Unmade {
        make: Maker,
        code: BudgetedOnce<Code>,
        rough: OnceLock<Code>,
    },
}

impl Interpretation {
    /// Makes the code of a function at once.
    pub fn new(function: Function, effort: &Effort) -> Self {
        Self::Made(lay_out(function, effort))
    }

    /// Keeps the function until the code is wanted.
    pub fn later(function: Function) -> Self {
        Self::Later { function, code: BudgetedOnce::default(), rough: OnceLock::new() }
    }

    /// Makes the function when the code is wanted.
    pub fn unmade(make: Maker) -> Self {
        Self::Unmade { make, code: BudgetedOnce::default(), rough: OnceLock::new() }
    }

    /// The code, made with this effort if it is not there.
    pub fn code(&self, effort: &Effort) -> &Code {
        match self {
            Self::Made(code) => code,
            Self::Later { function, code, rough } => code
                .get_or_make(effort, || lay_out(function.clone(), effort))
                .unwrap_or_else(|| rough.get_or_init(|| Code::new(function))),
            Self::Unmade { make, code, rough } => code
                .get_or_make(effort, || lay_out(make(effort), effort))
                .unwrap_or_else(|| rough.get_or_init(|| Code::new(&make(effort)))),
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

/// The interpreter's rows are not scarce registers: what is the same in every pass of a loop is computed in front of it.
fn lay_out(mut function: Function, effort: &Effort) -> Code {
    simplify_within(&mut function, effort);
    hoist_invariants_within(&mut function, effort);
    Code::new(&function)
}
