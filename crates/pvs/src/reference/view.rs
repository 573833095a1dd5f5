//! What is shown of a vertex: its registers as cells (`ctm_follow`).

use super::State;
use crate::codes::{Component, DestinationRegisters, SourceKind};
use crate::instruction::AddressMode;
use crate::lift::Layout;
use crate::program::{ALTERNATES, INPUTS, OUTPUTS, Program, TEMPORARIES};
use crate::uses::Uses;
use ctm_follow::{Cell, ValueKind};
use std::collections::BTreeSet;

/// Something that a vertex holds: a component of a vector, by the vector's number, or a register of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// A component of a temporary.
    Temporary(u8, Component),
    /// A component of an alternate temporary.
    Alternate(u8, Component),
    /// A component of an input vector.
    Input(u8, Component),
    /// A component of an output vector.
    Output(u8, Component),
    /// A component of A0.
    Address(Component),
    /// The predicate.
    Predicate,
    /// The loop index.
    LoopIndex,
}

impl Register {
    /// What vertices of a program hold, in the order in which it is shown: of the vectors those that the program names or the layout
    /// has, or all that there are where the program computes their numbers; then A0, the predicate, the loop index.
    pub fn all(program: &Program, layout: &Layout) -> Vec<Self> {
        let Uses { mut temporaries, mut alternates, mut inputs, mut outputs, .. } = Uses::of(program);
        inputs.extend(&layout.inputs);
        outputs.extend(&layout.outputs);
        let all = |numbers: &mut BTreeSet<u8>, count: usize| numbers.extend(0..count as u8);
        let indexed = |mode: AddressMode| !matches!(mode, AddressMode::Absolute | AddressMode::Reserved);
        for instruction in &program.code {
            for (_, source) in instruction.sources_read().filter(|(_, source)| indexed(source.mode())) {
                match source.kind {
                    SourceKind::Temporary => all(&mut temporaries, TEMPORARIES),
                    SourceKind::Input => all(&mut inputs, INPUTS),
                    SourceKind::Alternate => all(&mut alternates, ALTERNATES),
                    SourceKind::Constant => {}
                }
            }
            match instruction.destination.kind.written().filter(|_| indexed(instruction.destination.mode())) {
                Some(DestinationRegisters::Temporaries) => all(&mut temporaries, TEMPORARIES),
                Some(DestinationRegisters::Outputs { .. }) => all(&mut outputs, OUTPUTS),
                Some(DestinationRegisters::Alternates) => all(&mut alternates, ALTERNATES),
                Some(DestinationRegisters::Inputs) => all(&mut inputs, INPUTS),
                Some(DestinationRegisters::Address) | None => {}
            }
        }
        let vectors = |numbers: BTreeSet<u8>, count: usize, register: fn(u8, Component) -> Register| {
            let there = numbers.into_iter().filter(move |&number| usize::from(number) < count);
            there.flat_map(move |number| Component::ALL.into_iter().map(move |component| register(number, component)))
        };
        vectors(temporaries, TEMPORARIES, Register::Temporary)
            .chain(vectors(alternates, ALTERNATES, Register::Alternate))
            .chain(vectors(inputs, INPUTS, Register::Input))
            .chain(vectors(outputs, OUTPUTS, Register::Output))
            .chain(Component::ALL.into_iter().map(Register::Address))
            .chain([Register::Predicate, Register::LoopIndex])
            .collect()
    }

    /// How it is shown.
    pub fn cell(self) -> Cell {
        let (pattern, number, component, kind) = match self {
            Register::Temporary(number, component) => ("temp[#]", number, Some(component), ValueKind::Float),
            Register::Alternate(number, component) => ("alt[#]", number, Some(component), ValueKind::Float),
            Register::Input(number, component) => ("input[#]", number, Some(component), ValueKind::Float),
            Register::Output(number, component) => ("out[#]", number, Some(component), ValueKind::Float),
            Register::Address(component) => ("a0", 0, Some(component), ValueKind::Integer),
            Register::Predicate => ("p", 0, None, ValueKind::Truth),
            Register::LoopIndex => ("aL", 0, None, ValueKind::Integer),
        };
        let channel = component.and_then(|component| component.name().chars().next());
        Cell { pattern, number: number.into(), channel, kind, echoes: false }
    }

    /// What a vertex holds there; 0 if there is no such register.
    pub(super) fn read(self, state: &State, index: i32) -> u32 {
        let of = |vectors: &[[u32; 4]], number: u8, component: Component| {
            vectors.get(usize::from(number)).map_or(0, |vector| vector[component as usize])
        };
        match self {
            Register::Temporary(number, component) => of(&state.temporaries, number, component),
            Register::Alternate(number, component) => of(&state.alternates, number, component),
            Register::Input(number, component) => of(&state.inputs, number, component),
            Register::Output(number, component) => of(&state.outputs, number, component),
            Register::Address(component) => state.a0[component as usize].cast_unsigned(),
            Register::Predicate => state.predicate.into(),
            Register::LoopIndex => index.cast_unsigned(),
        }
    }

    /// Changes what a vertex holds there, and says whether that is possible: the loop index is not changed.
    pub(super) fn write(self, state: &mut State, bits: u32) -> bool {
        let set = |vectors: &mut [[u32; 4]], number: u8, component: Component| {
            vectors.get_mut(usize::from(number)).map(|vector| vector[component as usize] = bits).is_some()
        };
        match self {
            Register::Temporary(number, component) => set(&mut state.temporaries, number, component),
            Register::Alternate(number, component) => set(&mut state.alternates, number, component),
            Register::Input(number, component) => set(&mut state.inputs, number, component),
            Register::Output(number, component) => set(&mut state.outputs, number, component),
            Register::Address(component) => {
                state.a0[component as usize] = bits.cast_signed();
                true
            }
            Register::Predicate => {
                state.predicate = bits != 0;
                true
            }
            Register::LoopIndex => false,
        }
    }
}
