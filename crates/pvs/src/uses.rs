//! What a program uses.

use crate::check::sets_predicate;
use crate::codes::{DestinationRegisters, SourceKind};
use crate::instruction::AddressMode;
use crate::program::Program;
use std::collections::BTreeSet;

/// The registers that the instructions of a program name. Numbers are those in the instructions, also where an index is added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Input vectors that are read.
    pub inputs: BTreeSet<u8>,
    /// Output vectors that are written.
    pub outputs: BTreeSet<u8>,
    /// Constants that are read.
    pub constants: BTreeSet<u8>,
    /// Temporaries that are read or written.
    pub temporaries: BTreeSet<u8>,
    /// Alternate temporaries that are read or written.
    pub alternates: BTreeSet<u8>,
    /// Whether a component of A0 is added to a number.
    pub address: bool,
    /// Whether the loop index is added to a number.
    pub loop_index: bool,
    /// Whether an operation sets the predicate, or an instruction depends on it.
    pub predicate: bool,
}

impl Uses {
    /// What a program uses.
    pub fn of(program: &Program) -> Self {
        let mut uses = Uses::default();
        for instruction in &program.code {
            for (_, source) in instruction.sources_read().filter(|(_, source)| source.reads_register()) {
                uses.mode(source.mode());
                let registers = match source.kind {
                    SourceKind::Temporary => &mut uses.temporaries,
                    SourceKind::Input => &mut uses.inputs,
                    SourceKind::Constant => &mut uses.constants,
                    SourceKind::Alternate => &mut uses.alternates,
                };
                registers.insert(source.offset);
            }
            let destination = &instruction.destination;
            uses.predicate |= destination.predicated || sets_predicate(instruction.operation());
            if !instruction.writes() {
                continue;
            }
            uses.mode(destination.mode());
            let registers = match destination.kind.written() {
                Some(DestinationRegisters::Temporaries) => &mut uses.temporaries,
                Some(DestinationRegisters::Outputs { .. }) => &mut uses.outputs,
                Some(DestinationRegisters::Alternates) => &mut uses.alternates,
                Some(DestinationRegisters::Inputs) => &mut uses.inputs,
                Some(DestinationRegisters::Address) | None => continue,
            };
            registers.insert(destination.offset);
        }
        uses
    }

    fn mode(&mut self, mode: AddressMode) {
        self.address |= matches!(mode, AddressMode::A0(_));
        self.loop_index |= mode == AddressMode::LoopIndex;
    }
}
