//! From programs to lane IR.
//!
//! A program is lifted in one of two forms ([`LiftedForm`]), with the same arithmetic and the same counting of instructions:
//!
//! - [`LiftedForm::Independent`] takes structured programs only, and follows what each lane does: IF, ELSE, ENDIF (merged ones too), LOOP
//!   and REP with BREAK and CONTINUE, subroutines with CALLs and RETURNs that may have conditions. Masks of lanes stand for
//!   the nesting. Results do not depend on how lanes are grouped, so an engine groups them as it likes, as long as quads
//!   that the program reads are whole.
//! - [`LiftedForm::Exact`] takes any program, and follows what the group does: its program counter, its stacks, its traps. Each
//!   value of the branch counter is a mask, and a counter that changes is masks that change places.
//!
//! In both the program counter and the depths of the stacks are known at every place, subroutines being repeated for each
//! call; registers are values, but those that are reached through aL.
#![deny(clippy::wildcard_enum_match_arm)]

mod arithmetic;
mod exact;
mod fragments;
mod independent;
mod machine;
mod plan;
mod texture;

pub use fragments::{FetchValues, FragmentEnvironment, FragmentInputs, lift_fragments};

use crate::conditional::{CondLocation, CondTest};
use crate::interpolants::Plane;
use crate::job::TrapKind;
use crate::program::{INPUTS, INTERPOLANTS, OUTPUTS, Program};
use ctm_lane::Function;
use ctm_lane::effort::Effort;
use ctm_memory::Surface;
use ctm_raster::sampler::{Sampler, TextureShape};
use std::collections::BTreeMap;

/// The float constants: tables 0 to 3 hold a channel of each.
pub const FLOAT_TABLES: usize = 4;
/// The table of integer constants: count, start and step of each, and one unused entry.
pub const INT_TABLE: usize = 4;
/// The table of boolean constants.
pub const BOOL_TABLE: usize = 5;
/// The table of the value of conditional execution. After it, at [`ORIGIN_ENTRY`], are the two floats that are added to positions, if the
/// domain has an origin, and at [`PLANES_ENTRY`] the numbers of the planes of interpolated inputs, if the program takes such.
pub const PE_VALUE_TABLE: usize = 6;
/// See [`PE_VALUE_TABLE`].
pub const ORIGIN_ENTRY: usize = 1;
/// See [`PE_VALUE_TABLE`].
pub const PLANES_ENTRY: usize = 4;
/// Entries of [`PE_VALUE_TABLE`] with planes, three for each channel of each interpolated input: a power of two, as all tables have.
pub const PLANES_ENTRIES: usize = (PLANES_ENTRY + INTERPOLANTS * 4 * Plane::NUMBERS).next_power_of_two();
/// Number of tables.
pub const TABLES: usize = 7;

/// What a lifted function may rely on. All of it is true of every run of that function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Specialisation {
    /// The inputs that are set, their base 0, and whether all their elements are in mapped memory.
    pub inputs: [Option<(Surface, bool)>; INPUTS],
    /// How inputs are sampled, by number; the others give the nearest element (decision C35).
    pub samplers: BTreeMap<u8, SampledInput>,
    /// The outputs that are set.
    pub outputs: [bool; OUTPUTS],
    /// Channels of outputs that are written.
    pub out_mask: u8,
    /// The test of the conditional unit.
    pub test: CondTest,
    /// Which client is tested.
    pub location: CondLocation,
    /// Values that pass are written to the conditional buffer.
    pub write: bool,
    /// Something is added to the lanes' positions.
    pub has_origin: bool,
    /// Multiply-add rounds twice.
    pub unfused: bool,
    /// Per channel: no float constant is an infinity or a NaN.
    pub finite: [bool; 4],
}

/// An input that is sampled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SampledInput {
    /// Wraps and filters.
    pub sampler: Sampler,
    /// What it is as a texture.
    pub shape: TextureShape,
    /// Its further levels as [`Specialisation::inputs`] has the first.
    pub levels: Vec<(Surface, bool)>,
}

/// What a surface of a lifted function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceBinding {
    /// An input.
    Input(usize),
    /// A further level of an input, from 0.
    Level(usize, usize),
    /// An output.
    Output(usize),
    /// The buffer of the conditional unit.
    Conditional,
}

/// Whose way through the program a function follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiftedForm {
    /// The lanes'.
    Independent,
    /// The group's.
    Exact,
}

/// A program as a function.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The function.
    pub function: Function,
    /// What its surfaces are.
    pub surfaces: Vec<SurfaceBinding>,
    /// Instructions read other lanes of their quad.
    pub uses_quads: bool,
    /// Of a group-independent function: the number of instructions at each place, with the integer constants that count the loops
    /// around it. Each place is passed at most as often as these multiplied.
    pub steps: Vec<(u32, Vec<u8>)>,
}

impl Lifted {
    /// Most instructions that a group can execute, of a group-independent function.
    pub fn max_steps(&self, count: impl Fn(u8) -> u8) -> u64 {
        let passes = |loops: &[u8]| loops.iter().fold(1u64, |n, &int| n.saturating_mul(u64::from(count(int)).max(1)));
        self.steps
            .iter()
            .fold(0u64, |sum, (steps, loops)| sum.saturating_add(passes(loops).saturating_mul(u64::from(*steps))))
    }
}

/// Why a program has no such form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLifted {
    /// What a lane does may depend on the group.
    #[error("instruction {0} is not part of a structured program")]
    Unstructured(usize),
    /// Subroutines call each other in too many ways, or the form takes more than the effort.
    #[error("the program has too many ways through its subroutines")]
    TooLarge,
}

/// Lifts a program.
///
/// # Errors
/// If the program does not have the form.
pub fn lift(program: &Program, specialisation: &Specialisation, form: LiftedForm) -> Result<Lifted, NotLifted> {
    lift_within(program, specialisation, form, &Effort::default())
}

/// The same, if it does not take more than the effort.
///
/// # Errors
/// If it does, or the program does not have the form.
pub fn lift_within(
    program: &Program,
    specialisation: &Specialisation,
    form: LiftedForm,
    effort: &Effort,
) -> Result<Lifted, NotLifted> {
    match form {
        LiftedForm::Independent => independent::lift(program, specialisation, None, effort),
        LiftedForm::Exact => exact::lift(program, specialisation, effort),
    }
}

/// The trap with this code in a function.
pub fn trap_kind(code: u16) -> Option<TrapKind> {
    TrapKind::ALL.get(usize::from(code)).copied()
}
