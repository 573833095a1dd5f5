//! Condition tests: which pixels an instruction is for.

use super::Walk;
use crate::cf::{Cf, CfPlain};
use crate::codes::Condition;
use ctm_lane::{Block, Value};

/// A condition test with the constant looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    /// No pixel passes.
    pub never: bool,
    pub valid_only: bool,
    pub whole_quad: bool,
}

impl Test {
    pub const ACTIVE: Test = Test { never: false, valid_only: false, whole_quad: false };

    /// True if exactly the active pixels pass.
    pub fn is_active(self) -> bool {
        !self.never && !self.valid_only && !self.whole_quad
    }
}

impl Walk<'_> {
    pub(super) fn test(&self, cf: &Cf) -> Test {
        match cf {
            Cf::Plain(CfPlain { fields, .. }) => {
                let boolean = self.m.specialisation.bools[usize::from(fields.cf_const)];
                let never = match fields.cond {
                    Condition::Active => false,
                    Condition::False => true,
                    Condition::Bool => !boolean,
                    Condition::NotBool => boolean,
                };
                Test { never, valid_only: fields.valid_pixel_mode, whole_quad: fields.whole_quad_mode }
            }
            Cf::Alu(alu) => Test { whole_quad: alu.fields.whole_quad_mode, ..Test::ACTIVE },
            Cf::Export(export) => Test {
                valid_only: export.fields.valid_pixel_mode,
                whole_quad: export.fields.whole_quad_mode,
                ..Test::ACTIVE
            },
            Cf::Reserved(_) => Test::ACTIVE,
        }
    }

    /// The pixels that pass.
    pub(super) fn passing(&mut self, test: &Test) -> Value {
        if test.never {
            return self.m.b.mask_constant(false);
        }
        let active = self.m.b.get(self.m.active);
        if test.whole_quad {
            let quads = self.m.quads_of(active);
            return self.m.living(quads);
        }
        if test.valid_only {
            let valid = self.m.b.get(self.m.valid);
            return self.m.b.mask_and(active, valid);
        }
        active
    }

    /// Whether some pixel passes, where that is known.
    pub(super) fn is_some(&self, test: &Test) -> Option<bool> {
        match test {
            Test { never: true, .. } => Some(false),
            Test { valid_only: false, .. } if self.some => Some(true),
            _ => None,
        }
    }

    /// Splits: what follows is for groups in which some pixel passes. Gives the block in which the others go on.
    pub(super) fn unless_nobody(&mut self, passing: Value, test: &Test) -> Option<Block> {
        if self.is_some(test) == Some(true) {
            return None;
        }
        let (then, join) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(passing, (then, &[]), (join, &[]));
        self.m.b.seal(then);
        self.m.b.switch_to(then);
        Some(join)
    }

    /// Where the ways of [`unless_nobody`](Self::unless_nobody) meet.
    pub(super) fn join(&mut self, join: Option<Block>) {
        let Some(join) = join else { return };
        if !self.m.b.is_ended() {
            self.m.b.jump(join, &[]);
        }
        self.m.b.seal(join);
        self.m.b.switch_to(join);
    }
}
