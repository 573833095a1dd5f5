//! The contract between the engine and a guest machine.

use crate::runtime::Runtime;
use ctm_lane::effort::Effort;
use ctm_lane::run::RunOptions;
use ctm_memory::Aliasing;
use std::hash::Hash;

/// A run of a guest machine's program: the program with everything that the run depends on.
///
/// The engine knows no guest. It asks a run for its *specialisation key*, compiles the program for the key, once, and gives
/// the compiled program back to each run that has the same key. What compiled programs are made of is the guest's affair:
/// most are a [`Kernel`](crate::Kernel), which a run starts by a [`Launch`](crate::Launch) with its own
/// [`Bindings`](crate::Bindings); some have other forms beside it, or leave runs whose lanes depend on their order to the
/// reference.
pub trait GuestJob {
    /// Lanes of a group of the machine, for runs that [keep an order](crate::in_order).
    const GROUP_WIDTH: usize;

    /// Everything that a compiled program depends on, owned: what a cache keeps.
    type Key: Send + Sync + 'static;
    /// The same, borrowed from a run, so that looking up a program clones none.
    type KeyRef<'k>: Hash
    where
        Self: 'k;
    /// A compiled program: what all runs with its key share.
    type Kernels: Send + Sync + 'static;
    /// What a run gives.
    type Output;
    /// Why a run does not complete.
    type Error;
    /// Why machine code does not run this.
    type NotCompiled;

    /// Whether the environment fits the program, as every one does if the guest says nothing.
    ///
    /// # Errors
    /// What does not fit. Nothing has run then.
    fn check(&self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// How lanes of the run may meet in memory, if they may: the run [keeps an order](crate::in_order) then. It has been checked.
    fn order(&self) -> Option<Aliasing>;

    /// The specialisation key.
    ///
    /// # Errors
    /// If only the reference runs this.
    fn key(&self) -> Result<Self::KeyRef<'_>, Self::NotCompiled>;

    /// A key to keep.
    fn to_owned(key: Self::KeyRef<'_>) -> Self::Key;

    /// Whether a key that is kept says the same as this one. Equal keys have equal hashes.
    fn matches(key: &Self::KeyRef<'_>, kept: &Self::Key) -> bool;

    /// Lifts the program, and makes what the engine runs of it, as far as the effort goes. What is missing then, something else runs.
    fn compile(key: &Self::Key, runtime: &Runtime, effort: &Effort) -> Self::Kernels;

    /// Bytes of memory that a compiled program takes, about.
    fn bytes(kernels: &Self::Kernels) -> usize;

    /// Makes what runs like this one need and [`compile`](Self::compile) has not made, so that the run does not have to.
    fn prepare(&self, kernels: &Self::Kernels, runtime: &Runtime, effort: &Effort) {
        _ = (kernels, runtime, effort);
    }

    /// Whether machine code runs this, as long as the program does not trap.
    ///
    /// # Errors
    /// Why it does not.
    fn is_compiled(
        &self,
        kernels: &Self::Kernels,
        options: &RunOptions,
        runtime: &Runtime,
    ) -> Result<(), Self::NotCompiled>;

    /// Runs a compiled program. The run has been checked, and has the key that the program was compiled for. `order` is what
    /// [`order`](Self::order) says of it; the options keep it. If they ask for counts, these are the reference's: what runs otherwise, such as machine code, is not for such runs.
    ///
    /// # Errors
    /// As [`reference`](Self::reference).
    fn run(
        &self,
        kernels: &Self::Kernels,
        order: Option<Aliasing>,
        options: &RunOptions,
        runtime: &Runtime,
    ) -> Result<Self::Output, Self::Error>;

    /// Runs the scalar reference: what the guest's specification says, one instruction after the other, [in order](crate::in_order).
    /// Memory, output and errors of every other way to run are the same.
    ///
    /// # Errors
    /// Those of the guest.
    fn reference(&self, options: &RunOptions) -> Result<Self::Output, Self::Error>;
}
