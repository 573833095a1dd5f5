//! Machine code of functions.
//!
//! 1. `select`: scalar operations of the machine, with modifiers in operands and results; carried values in webs;
//! 2. `coalesce`: moves between webs that can be one are left out;
//! 3. `place`: scalars that are read together get channels of one vector; `legal`: what has to lie together and does not is moved;
//! 4. `schedule`: operations of a block in order, as many in one instruction as its units and source addresses allow (`bundle`, `operand`);
//! 5. `allocate`: registers for vectors, by where they live (`live`);
//! 6. `emit`: instructions with flow control, texture semaphores (`waits`), and the program;
//! 7. `variables`: where those of the source are in it, for debuggers.

mod allocate;
mod bundle;
mod coalesce;
mod copies;
mod emit;
mod leave;
mod legal;
mod live;
mod machine;
mod operand;
mod place;
mod presubtract;
mod schedule;
mod select;
mod variables;
mod waits;

use crate::compiled::Variable;
use crate::front::SourcePart;
use crate::ir::Function;
use crate::opt::optimise;
use ctm_x1k::{FLOAT_CONSTANTS, INT_CONSTANTS, MAX_INSTRUCTIONS, Program, ProgramInfo, References};
use emit::Overflow;
use machine::Item;
use operand::Literals;
use schedule::{Issue, Stuck};
use thiserror::Error;
use variables::Tracker;

/// What surrounds the program of a function.
#[derive(Clone, Debug, Default)]
pub struct Binding {
    /// Float constants that the user sets are below this number: literals come from here on.
    pub float_constants: usize,
    /// Float constants whose numbers the source gives, as bits. They are below `float_constants`, and no user sets them.
    pub literals: Vec<(u8, [u32; 4])>,
    /// Integer constants that the user sets are below this number.
    pub int_constants: u8,
    /// The register that interpolated inputs lie in at the start, by slot.
    pub varyings: Vec<(u8, u8)>,
    /// The register that holds the position at the start.
    pub position: u8,
    /// What the function's names are about.
    pub parts: Vec<SourcePart>,
}

/// Machine code.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The program, with the constants that are its own.
    pub program: Program,
    /// The source line of each instruction, from 1; 0 if it has none.
    pub lines: Vec<u32>,
    /// Where the parts of the source's variables are.
    pub variables: Vec<Variable>,
}

/// Why a function does not fit the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unfit {
    /// More instructions than a program can have.
    #[error(
        "the program takes {found} instructions, but the machine has {MAX_INSTRUCTIONS}: split it into several passes"
    )]
    Instructions {
        /// How many it takes.
        found: usize,
        /// The line that the first one too many comes from.
        line: u32,
    },
    /// More values at a time than there are temporaries.
    #[error(
        "more values are wanted at a time than the 128 temporaries hold: calculate less between the places where values are used"
    )]
    Temporaries,
    /// More constants than the machine has.
    #[error(
        "the program takes {found} float constants with its literals, but the machine has {FLOAT_CONSTANTS}: use fewer uniforms or literals"
    )]
    Constants {
        /// How many it takes.
        found: usize,
    },
    /// The compiler found no instruction for an operation.
    #[error(
        "the compiler found no instruction for an operation of this line, which is a mistake of it: please report the source"
    )]
    Operation {
        /// The line.
        line: u32,
    },
    /// Loops inside of loops.
    #[error(
        "loops are nested more than {} deep, which is what the machine has: move the innermost loop out",
        emit::MAX_LOOPS
    )]
    Loops {
        /// The line of the innermost loop.
        line: u32,
    },
    /// Branches inside of branches.
    #[error(
        "branches are nested more than {} deep, which is what the machine has: move the innermost out",
        emit::MAX_BRANCHES
    )]
    Branches {
        /// The line of the innermost branch.
        line: u32,
    },
    /// Integer constants.
    #[error(
        "the loops have more different numbers of passes than the {INT_CONSTANTS} integer constants hold: make some of them alike"
    )]
    IntConstants {
        /// The line of a loop.
        line: u32,
    },
}

impl Unfit {
    /// The line of the source that it is about, from 1; 0 if it is about all of it.
    pub const fn line(&self) -> u32 {
        match *self {
            Unfit::Instructions { line, .. }
            | Unfit::Operation { line }
            | Unfit::Loops { line }
            | Unfit::Branches { line }
            | Unfit::IntConstants { line } => line,
            Unfit::Temporaries | Unfit::Constants { .. } => 0,
        }
    }
}

/// Scalar operations that an instruction holds at most: three colours, alpha, and what presubtract makes for each.
const OPERATIONS: usize = 8;
/// Scalar operations of programs that are not too long in any case; it would take a while to find out what more of them come to.
const MOST_OPERATIONS: usize = MAX_INSTRUCTIONS * OPERATIONS;

/// The machine code of a function.
pub fn generate(function: &Function, binding: &Binding) -> Result<Generated, Unfit> {
    generate_optimised(&optimise(function), binding)
}

/// The machine code of a function that [`optimise`] made.
pub fn generate_optimised(function: &Function, binding: &Binding) -> Result<Generated, Unfit> {
    let varying = |slot: u8, channel: u8| {
        let register =
            binding.varyings.iter().find(|(known, _)| *known == slot).map_or(slot, |(_, register)| *register);
        (register, usize::from(channel))
    };
    let mut scalars = select::select(function, binding.position, &varying);
    let count = machine::count(&scalars.items);
    if count > MOST_OPERATIONS {
        return Err(Unfit::Instructions {
            found: count.div_ceil(OPERATIONS),
            line: machine::first_line(&scalars.items),
        });
    }
    if let Some(line) = machine::too_deep(&scalars.items, emit::MAX_LOOPS) {
        return Err(Unfit::Loops { line });
    }
    coalesce::drop_unread(&mut scalars);
    coalesce::coalesce(&mut scalars);
    leave::by_predicates(&mut scalars.items);
    let mut places = place::place(&scalars);
    legal::legalise(&mut scalars, &mut places);
    copies::use_copies(&mut scalars, &places);
    presubtract::presubtract(&mut scalars, &places);
    let mut literals = Literals::new(&binding.literals, binding.float_constants);
    let items =
        schedule_items(&scalars.items, &mut places, &mut literals, scalars.webs).map_err(|stuck| {
            match literals.found() {
                found if found >= FLOAT_CONSTANTS => Unfit::Constants { found },
                _ => Unfit::Operation { line: stuck.line },
            }
        })?;
    let inputs: Vec<usize> = scalars.inputs.iter().map(|&(web, ..)| web).collect();
    let registers = allocate::allocate(&items, &places, scalars.webs, &inputs).ok_or(Unfit::Temporaries)?;
    if literals.found() > FLOAT_CONSTANTS {
        return Err(Unfit::Constants { found: literals.found() });
    }
    let mut tracker = Tracker::new(&scalars, &places, &registers);
    let mut emitted = emit::emit(&items, &places, &registers, binding.int_constants, &mut tracker).map_err(
        |overflow| match overflow {
            Overflow::Loops { line } => Unfit::Loops { line },
            Overflow::Branches { line } => Unfit::Branches { line },
            Overflow::IntConstants { line } => Unfit::IntConstants { line },
        },
    )?;
    if emitted.code.len() > MAX_INSTRUCTIONS {
        return Err(Unfit::Instructions { found: emitted.code.len(), line: emitted.lines[MAX_INSTRUCTIONS] });
    }
    waits::insert(&mut emitted.code);
    let mut info = ProgramInfo::implied(&emitted.code, 0, None);
    info.zero_times_anything = true;
    info.position = scalars.reads_position.then_some(binding.position);
    let mut program = Program {
        references: References::of(&emitted.code, &info),
        info,
        code: emitted.code,
        constants: Default::default(),
    };
    let read = &program.references.float_constants;
    for (register, channels) in literals.registers().filter(|(register, _)| read.contains(&(*register as u8))) {
        program.constants.floats.insert(register as u8, channels.map(Option::unwrap_or_default));
    }
    program.constants.ints = emitted.ints;
    Ok(Generated { program, lines: emitted.lines, variables: tracker.finish(&binding.parts) })
}

fn schedule_items(
    items: &[Item<machine::Op>],
    places: &mut place::Places,
    literals: &mut Literals,
    webs: usize,
) -> Result<Vec<Item<Issue>>, Stuck> {
    items
        .iter()
        .map(|item| {
            Ok(match item {
                Item::Block(ops) => Item::Block(schedule::schedule(ops, places, literals, webs)?),
                Item::If { condition, then, otherwise, line } => Item::If {
                    condition: *condition,
                    then: schedule_items(then, places, literals, webs)?,
                    otherwise: schedule_items(otherwise, places, literals, webs)?,
                    line: *line,
                },
                Item::Loop { passes, step, body, line } => {
                    let body = schedule_items(body, places, literals, webs)?;
                    Item::Loop { passes: *passes, step: *step, body, line: *line }
                }
                Item::Break => Item::Break,
                Item::Continue => Item::Continue,
            })
        })
        .collect()
}
