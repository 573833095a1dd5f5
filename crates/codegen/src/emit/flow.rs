//! Ends of blocks: jumps, and the moves that give the parameters of the next block their values.

use super::{Emitter, Encoding, Label, MoveOperand, Stub, Unencodable};
use crate::allocate::Location;
use crate::mir::{Arg, Class, Condition, Edge, End, InstKind, Steps};
use std::collections::HashMap;

impl<'a, T: Encoding> Emitter<'a, T> {
    /// A jump, on a condition if there is one.
    fn jump_to(&mut self, condition: Option<Condition>, label: Label) -> Result<(), Unencodable> {
        T::jump(self, condition)?;
        self.label(label);
        Ok(())
    }

    fn has_moves(&self, edge: &Edge) -> bool {
        let params = &self.machine.blocks[edge.block].params;
        edge.args.iter().zip(params).any(|(arg, &param)| match *arg {
            Arg::Reg(reg) => self.move_operand(reg) != self.move_operand(param),
            Arg::Mem(_) | Arg::Imm(_) | Arg::None => true,
        })
    }

    /// Moves, then goes on at the edge's block, which is the next one if `next` says so.
    pub(super) fn follow(&mut self, edge: &Edge, next: Option<usize>) -> Result<(), Unencodable> {
        self.moves(edge)?;
        if next == Some(edge.block) { Ok(()) } else { self.jump_to(None, Label::Block(edge.block)) }
    }

    fn branch(&mut self, condition: Condition, edge: &'a Edge) -> Result<(), Unencodable> {
        if self.has_moves(edge) {
            self.stubs.push(Stub::Moves(edge));
            self.jump_to(Some(condition), Label::Stub(self.stubs.len() - 1))
        } else {
            self.jump_to(Some(condition), Label::Block(edge.block))
        }
    }

    pub(super) fn end(&mut self, at: usize) -> Result<(), Unencodable> {
        let next = Some(at + 1);
        let block = &self.machine.blocks[at];
        let tests_steps = block.insts.last().is_some_and(|inst| inst.kind == InstKind::Steps(Steps::Test));
        match &block.end {
            End::Jump(edge) => self.follow(edge, next),
            End::Branch { then, otherwise, .. } if tests_steps => {
                self.jump_to(Some(Condition::Less), Label::Stub(self.stubs.len()))?;
                self.stubs.push(Stub::Poll(self.bytes.len(), then));
                self.follow(otherwise, next)
            }
            End::Branch { condition, then, otherwise } => {
                // The way that goes on inline: the next block, or else the one that closes a loop with moves.
                let inline_then =
                    then.block == at + 1 || otherwise.block != at + 1 && then.block <= at && self.has_moves(then);
                if inline_then {
                    self.branch(condition.negated(), otherwise)?;
                    self.follow(then, next)
                } else {
                    self.branch(*condition, then)?;
                    self.follow(otherwise, next)
                }
            }
            End::Exit => T::epilogue(self),
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), Unencodable> {
        let mut stub_starts = Vec::with_capacity(self.stubs.len());
        for at in 0..self.stubs.len() {
            stub_starts.push(self.bytes.len());
            match self.stubs[at] {
                Stub::Moves(edge) => self.follow(edge, None)?,
                Stub::Poll(resume, stop) => {
                    T::poll_stub(self)?;
                    self.jump_to(Some(Condition::GreaterEqual), Label::Offset(resume))?;
                    self.follow(stop, None)?;
                }
            }
        }
        let poll = self.bytes.len();
        if self.machine.counts_steps {
            T::poll_call(self)?;
        }
        for (end, label) in std::mem::take(&mut self.jumps) {
            let to = match label {
                Label::Block(block) => self.starts[block],
                Label::Stub(stub) => stub_starts[stub],
                Label::Offset(offset) => offset,
                Label::Poll => poll,
            };
            T::link(&mut self.bytes, end, to);
        }
        Ok(())
    }

    /// The moves of an edge, which happen all at once.
    fn moves(&mut self, edge: &Edge) -> Result<(), Unencodable> {
        let params = &self.machine.blocks[edge.block].params;
        for class in [Class::Vector, Class::Mask, Class::General] {
            let mut moves: Vec<(MoveOperand, MoveOperand)> = Vec::new();
            for (arg, &param) in edge.args.iter().zip(params) {
                if self.class(param) != class {
                    continue;
                }
                let from = match *arg {
                    Arg::Reg(reg) => self.move_operand(reg),
                    Arg::Mem(mem) => MoveOperand::Memory(mem),
                    Arg::None | Arg::Imm(_) => return Err(Unencodable),
                };
                let to = self.move_operand(param);
                if to != from && self.allocation.locations[param.index()] != Location::Nowhere {
                    moves.push((to, from));
                }
            }
            self.move_all(class, &moves)?;
        }
        Ok(())
    }

    /// Moves to distinct locations from others, all at once.
    fn move_all(&mut self, class: Class, moves: &[(MoveOperand, MoveOperand)]) -> Result<(), Unencodable> {
        let into: HashMap<MoveOperand, usize> = moves.iter().enumerate().map(|(at, &(to, _))| (to, at)).collect();
        // How many moves still read the location that each of them writes.
        let mut readers = vec![0; moves.len()];
        moves.iter().filter_map(|(_, from)| into.get(from)).for_each(|&at| readers[at] += 1);
        let mut ready: Vec<usize> = (0..moves.len()).filter(|&at| readers[at] == 0).collect();
        let mut done = vec![false; moves.len()];
        while let Some(at) = ready.pop() {
            let (to, from) = moves[at];
            T::copy(self, class, to, from)?;
            done[at] = true;
            if let Some(&freed) = into.get(&from) {
                readers[freed] -= 1;
                ready.extend((readers[freed] == 0).then_some(freed));
            }
        }
        // What is left are circles. What the first member of one holds waits in the scratch register for the last.
        let scratch = MoveOperand::Register(self.scratch(class, 0));
        for first in 0..moves.len() {
            if done[first] {
                continue;
            }
            T::copy(self, class, scratch, moves[first].0)?;
            let mut at = first;
            loop {
                let (to, from) = moves[at];
                done[at] = true;
                match into.get(&from) {
                    Some(&next) if next != first => {
                        T::copy(self, class, to, from)?;
                        at = next;
                    }
                    _ => break T::copy(self, class, to, scratch)?,
                }
            }
        }
        Ok(())
    }
}
