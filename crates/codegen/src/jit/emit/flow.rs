//! Ends of blocks: jumps, and the moves that give the parameters of the next block their values.

use super::{Emitter, Label, Spot, Stub, Unencodable};
use crate::jit::allocate::Location;
use crate::jit::mir::{Arg, Class, Condition, Edge, End, Kind, Steps};
use iced_x86::{Code, Instruction};
use std::collections::HashMap;

impl<'a> Emitter<'a> {
    pub(super) fn jump(&mut self, code: Code, label: Label) -> Result<(), Unencodable> {
        let here = self.bytes.len() as u64;
        self.put_result(Instruction::with_branch(code, here + 0x1000))?;
        self.jumps.push((self.bytes.len(), label));
        Ok(())
    }

    fn has_moves(&self, edge: &Edge) -> bool {
        let params = &self.machine.blocks[edge.block].params;
        edge.args.iter().zip(params).any(|(arg, &param)| match *arg {
            Arg::Reg(reg) => self.spot(reg) != self.spot(param),
            _ => true,
        })
    }

    /// Moves, then goes on at the edge's block, which is the next one if `next` says so.
    pub(super) fn follow(&mut self, edge: &Edge, next: Option<usize>) -> Result<(), Unencodable> {
        self.moves(edge)?;
        if next == Some(edge.block) { Ok(()) } else { self.jump(Code::Jmp_rel32_64, Label::Block(edge.block)) }
    }

    fn branch(&mut self, condition: Condition, edge: &'a Edge) -> Result<(), Unencodable> {
        let code = match condition {
            Condition::Equal => Code::Je_rel32_64,
            Condition::NotEqual => Code::Jne_rel32_64,
            Condition::Less => Code::Jl_rel32_64,
            Condition::LessEqual => Code::Jle_rel32_64,
            Condition::Greater => Code::Jg_rel32_64,
            Condition::GreaterEqual => Code::Jge_rel32_64,
            Condition::Below => Code::Jb_rel32_64,
            Condition::BelowEqual => Code::Jbe_rel32_64,
            Condition::Above => Code::Ja_rel32_64,
            Condition::AboveEqual => Code::Jae_rel32_64,
        };
        if self.has_moves(edge) {
            self.stubs.push(Stub::Moves(edge));
            self.jump(code, Label::Stub(self.stubs.len() - 1))
        } else {
            self.jump(code, Label::Block(edge.block))
        }
    }

    pub(super) fn end(&mut self, at: usize) -> Result<(), Unencodable> {
        let next = Some(at + 1);
        let block = &self.machine.blocks[at];
        let tests_steps = block.insts.last().is_some_and(|inst| inst.kind == Kind::Steps(Steps::Test));
        match &block.end {
            End::Jump(edge) => self.follow(edge, next),
            End::Branch { then, otherwise, .. } if tests_steps => {
                self.jump(Code::Jl_rel32_64, Label::Stub(self.stubs.len()))?;
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
            End::Exit => self.epilogue(),
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), Unencodable> {
        let mut stub_starts = Vec::with_capacity(self.stubs.len());
        for at in 0..self.stubs.len() {
            stub_starts.push(self.bytes.len());
            match self.stubs[at] {
                Stub::Moves(edge) => self.follow(edge, None)?,
                Stub::Poll(resume, stop) => self.poll_stub(resume, stop)?,
            }
        }
        let poll = self.bytes.len();
        if self.machine.counts_steps {
            self.poll_call()?;
        }
        for (end, label) in std::mem::take(&mut self.jumps) {
            let to = match label {
                Label::Block(block) => self.starts[block],
                Label::Stub(stub) => stub_starts[stub],
                Label::Offset(offset) => offset,
                Label::Poll => poll,
            };
            let distance = (to as i64 - end as i64) as i32;
            self.bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
        }
        Ok(())
    }

    /// The moves of an edge, which happen all at once.
    fn moves(&mut self, edge: &Edge) -> Result<(), Unencodable> {
        let params = &self.machine.blocks[edge.block].params;
        for class in [Class::Vector, Class::Mask, Class::General] {
            let mut moves: Vec<(Spot, Spot)> = Vec::new();
            for (arg, &param) in edge.args.iter().zip(params) {
                if self.class(param) != class {
                    continue;
                }
                let from = match *arg {
                    Arg::Reg(reg) => self.spot(reg),
                    Arg::Mem(mem) => Spot::Memory(mem),
                    Arg::None | Arg::Imm(_) => return Err(Unencodable),
                };
                let to = self.spot(param);
                if to != from && self.allocation.locations[param.index()] != Location::Nowhere {
                    moves.push((to, from));
                }
            }
            self.move_all(class, &moves)?;
        }
        Ok(())
    }

    /// Moves to distinct locations from others, all at once.
    fn move_all(&mut self, class: Class, moves: &[(Spot, Spot)]) -> Result<(), Unencodable> {
        let into: HashMap<Spot, usize> = moves.iter().enumerate().map(|(at, &(to, _))| (to, at)).collect();
        // How many moves still read the location that each of them writes.
        let mut readers = vec![0; moves.len()];
        moves.iter().filter_map(|(_, from)| into.get(from)).for_each(|&at| readers[at] += 1);
        let mut ready: Vec<usize> = (0..moves.len()).filter(|&at| readers[at] == 0).collect();
        let mut done = vec![false; moves.len()];
        while let Some(at) = ready.pop() {
            let (to, from) = moves[at];
            self.copy(class, to, from)?;
            done[at] = true;
            if let Some(&freed) = into.get(&from) {
                readers[freed] -= 1;
                ready.extend((readers[freed] == 0).then_some(freed));
            }
        }
        // What is left are circles. What the first member of one holds waits in the scratch register for the last.
        let scratch = Spot::Register(self.scratch(class, 0));
        for first in 0..moves.len() {
            if done[first] {
                continue;
            }
            self.copy(class, scratch, moves[first].0)?;
            let mut at = first;
            loop {
                let (to, from) = moves[at];
                done[at] = true;
                match into.get(&from) {
                    Some(&next) if next != first => {
                        self.copy(class, to, from)?;
                        at = next;
                    }
                    _ => break self.copy(class, to, scratch)?,
                }
            }
        }
        Ok(())
    }
}
