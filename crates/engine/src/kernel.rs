//! Kernels: functions, ready to run on surfaces of given layouts.

use crate::backend::{Code as MachineCode, KernelSource, SurfaceLayout};
use crate::ending::{is_complete, longest, may_stop, may_trap};
use crate::interior::interior_of;
use crate::interpretation::{Interpretation, Maker};
use crate::runtime::Runtime;
use crate::variants::Variants;
use crate::workers::Workers;
use ctm_lane::effort::Effort;
use ctm_lane::{Block, Buffer, Channels, Function, Op, Surface, Terminator, simplify_once_within, simplify_within};
use std::collections::HashSet;

/// What the lanes of a function have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Nothing, but for the other lanes of their quad: what a lane writes, and whether it traps, is its own affair; no lane
    /// reads what the launch writes, and no two write the same place. Engines group lanes as they like.
    Independent,
    /// The same, but lanes may read what they have written themselves. Such a lane cannot run twice: who runs the kernel keeps what memory
    /// was before, and [`run_independent`](Kernel::run_independent) is all that is called.
    Once,
    /// Groups of this width execute one operation after the other, each in all of their lanes: warps, and programs whose
    /// lanes exchange data through memory. [`Layout`](ctm_lane::domain::Layout) says which lanes a group has.
    Lockstep(usize),
    /// The same, for groups of the width that the run's options name: what lanes do depends on which of them a group has.
    LockstepOfRun,
}

/// What a kernel is made of.
pub struct KernelFunctions {
    function: Function,
    interpreted: Option<Maker>,
}

impl KernelFunctions {
    /// A function for machine code with another one for the interpreter, which is made when a run first needs it. Both leave the same memory, and each of
    /// their lanes takes as many steps; where these steps and traps are, only the interpreter's says. Both name the same surfaces, tables and buffers.
    pub fn with_interpreted(
        function: Function,
        interpreted: impl Fn(&Effort) -> Function + Send + Sync + 'static,
    ) -> Self {
        KernelFunctions { function, interpreted: Some(Box::new(interpreted)) }
    }
}

impl From<Function> for KernelFunctions {
    fn from(function: Function) -> Self {
        KernelFunctions { function, interpreted: None }
    }
}

/// A function, simplified, with machine code where the engine makes it and code for the interpreter, and its threads.
pub struct Kernel {
    pub(crate) interpretation: Interpretation,
    machine: Option<Box<dyn MachineCode>>,
    /// Machine code for known constants.
    pub(crate) variants: Option<Variants>,
    pub(crate) grouping: Grouping,
    pub(crate) longest: Option<u64>,
    /// The function uses other lanes of quads.
    pub(crate) uses_quads: bool,
    /// Entries of all arrays.
    pub(crate) array_entries: u64,
    /// Some way ends in a trap.
    pub(crate) may_trap: bool,
    /// Machine code, if there is any, can stop in the middle of a group; otherwise it leaves the limit on steps out.
    pub(crate) may_stop: bool,
    /// Running a group twice gives what running it once does.
    pub(crate) repeatable: bool,
    /// Surfaces of which every lane replaces the element at its place.
    replaced: Vec<Surface>,
    pub(crate) workers: Workers,
}

impl Kernel {
    /// Prepares a verified function for an engine. `surfaces` are those that it names. `most_steps` are the most that a group
    /// takes in any launch, if the guest knows; each launch then has to say how many they are in its case.
    pub fn new(
        functions: impl Into<KernelFunctions>,
        grouping: Grouping,
        surfaces: &[SurfaceLayout],
        most_steps: Option<u64>,
        runtime: &Runtime,
    ) -> Self {
        Self::within(functions, (grouping, surfaces, most_steps), runtime, &Effort::default())
    }

    /// The same, as far as the effort goes: then the interpreter runs the kernel, in the end as it is.
    pub fn within(
        functions: impl Into<KernelFunctions>,
        (grouping, surfaces, most_steps): (Grouping, &[SurfaceLayout], Option<u64>),
        runtime: &Runtime,
        effort: &Effort,
    ) -> Self {
        let KernelFunctions { mut function, interpreted } = functions.into();
        simplify_once_within(&mut function, effort);
        let wanted = match grouping {
            Grouping::Independent => {
                let can_run = |function: &Function| is_repeatable(function) || is_complete(function, most_steps);
                can_run(&function) || {
                    simplify_within(&mut function, effort);
                    can_run(&function)
                }
            }
            Grouping::Once => true,
            Grouping::Lockstep(_) | Grouping::LockstepOfRun => false,
        };
        let wanted = wanted && surfaces.iter().all(|layout| layout.whole);
        let backend = runtime.shared_backend().filter(|_| wanted);
        let coding = effort.share();
        let interior = backend.map(|_| interior_of(&mut function, &coding));
        let may_stop = may_stop(&function, most_steps);
        let compiled = backend.zip(interior.as_ref()).and_then(|(backend, interior)| {
            let source = KernelSource { function: &function, interior, surfaces, may_stop };
            let code = backend.compile(&source, &coding).map_err(|refusal| runtime.note_refusal(refusal)).ok()?;
            Some((code, Variants::new(backend, &source)))
        });
        effort.take_back(&coding);
        runtime.note_cut(effort);
        let (machine, variants) = compiled.map_or((None, None), |(machine, variants)| (Some(machine), variants));
        if machine.is_none() {
            if let Some(make) = &interpreted {
                function = make(effort);
            }
            simplify_within(&mut function, effort);
        }
        let longest = longest(&function);
        let may_trap = may_trap(&function);
        let repeatable = is_repeatable(&function);
        let is_replaced = |(number, layout): &(usize, &SurfaceLayout)| {
            let channels = Channels(0xF >> (4 - layout.surface.format.channels()));
            // What a lane does to its element does not depend on the other lanes of its group.
            replaces(interior.as_ref().unwrap_or(&function), Surface::new(*number), channels)
        };
        let replaced = surfaces.iter().enumerate().filter(is_replaced);
        let replaced = replaced.map(|(number, _)| Surface::new(number)).collect();
        let uses_quads = operations(&function).any(|op| matches!(op, Op::Quad { .. }));
        let array_entries = function.arrays.iter().map(|array| u64::from(array.entries)).sum();
        let interpretation = match (&machine, interpreted) {
            (None, _) => Interpretation::new(function, effort),
            (Some(_), None) => Interpretation::later(function),
            (Some(_), Some(make)) => Interpretation::unmade(make),
        };
        Kernel {
            interpretation,
            uses_quads,
            array_entries,
            machine,
            variants,
            grouping,
            longest,
            may_trap,
            may_stop,
            repeatable,
            replaced,
            workers: runtime.workers().clone(),
        }
    }

    /// Whether machine code runs the kernel.
    pub fn is_compiled(&self) -> bool {
        self.machine().is_some()
    }

    /// Whether every lane is known to replace the element of this surface that lies at its place, whatever it does: what was there does not matter.
    pub fn replaces(&self, surface: Surface) -> bool {
        self.replaced.contains(&surface)
    }

    /// Most steps that a group can execute, if there are no loops.
    pub fn longest(&self) -> Option<u64> {
        self.longest
    }

    /// Bytes of memory that the kernel takes, about.
    pub fn bytes(&self) -> usize {
        let variants = self.variants.as_ref().map_or(0, Variants::bytes);
        self.interpretation.bytes() + self.machine.as_ref().map_or(0, |machine| machine.bytes()) + variants
    }

    /// The machine code that runs the kernel.
    pub(crate) fn machine(&self) -> Option<&dyn MachineCode> {
        self.machine.as_deref().filter(|machine| machine.is_sound())
    }
}

/// Whether a group can run again after a part of it ran: it does not change what it reads.
fn is_repeatable(function: &Function) -> bool {
    let loaded = |op: &Op| if let Op::BufferLoad { buffer } = op { Some(*buffer) } else { None };
    let loaded: HashSet<Buffer> = operations(function).filter_map(loaded).collect();
    !operations(function).any(|op| match op {
        Op::SurfaceTest { .. } => true,
        Op::BufferStore { buffer } => loaded.contains(buffer),
        _ => false,
    })
}

/// Whether every lane replaces the element of this surface at its place: groups end after a store of all these channels, which are all that it has,
/// of all of their lanes.
fn replaces(function: &Function, surface: Surface, all: Channels) -> bool {
    let stores = |op: &Op| matches!(op, Op::SurfaceStore { surface: of, channels } if *of == surface && channels.0 & all.0 == all.0);
    let is = |value, wanted: Op| function.defining_op(value).is_some_and(|(op, _)| *op == wanted);
    let stores_all = |block: Block| {
        function.insts(block).iter().filter(|&&inst| stores(function.op(inst))).any(|&inst| {
            let args = function.args(inst);
            let is_of_all = |lanes| is(lanes, Op::Covered {}) || is(lanes, Op::Mask { value: true });
            is(args[0], Op::PosX {}) && is(args[1], Op::PosY {}) && args.last().is_some_and(|&lanes| is_of_all(lanes))
        })
    };
    let ends = |block: &Block| matches!(function.terminator(*block), Terminator::Return);
    function.blocks().filter(ends).all(stores_all)
}

/// All operations of a function.
fn operations(function: &Function) -> impl Iterator<Item = &Op> {
    function.blocks().flat_map(|block| function.insts(block).iter().map(|&inst| function.op(inst)))
}
