//! Random machine instructions: wherever allocation puts registers, every operand has to be found there.

use super::isa::{VectorIsa, Vop};
use crate::check::check_locations;
use crate::code_piece::Allocated;
use crate::context;
use crate::emit::emit;
use crate::mir::{Arg, Base, Class, Condition, Edge, End, Mem, Reg, Steps};
use crate::target::Target;
use crate::x64::{Block, Inst, InstKind, MachineFunction};
use ctm_lane::effort::Effort;
use iced_x86::Code;

/// Blocks, parameters of a block, and instructions of a block, at most.
const BLOCKS: usize = 8;
const PARAMS: usize = 6;
const INSTS: usize = 96;
/// Words of constants.
const POOL: usize = 64;

/// Makes machine instructions of these bytes, and shows of their code that it finds each register where it is used.
///
/// # Panics
/// The instructions cannot be encoded, or an operand is not what its instruction names.
pub fn allocation(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let isa = if bytes.one_in(2) { VectorIsa::Avx2 } else { VectorIsa::Avx512 };
    let machine = Generator::new(&mut bytes, isa).machine();
    let text = machine.to_string();
    let allocated = Allocated::new(machine, isa, &Effort::default());
    let Ok(Allocated { machine, allocation }) = allocated else { return };
    let emitted = emit(&machine, &allocation, isa).unwrap_or_else(|_| panic!("not encoded\n{text}"));
    check_locations(&machine, &allocation, isa, &emitted)
        .unwrap_or_else(|fault| panic!("{fault}, {isa:?}\n{text}\nallocated:\n{machine}\n{:?}", allocation.locations));
}

/// Choices: zeros where the bytes end.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn below(&mut self, end: usize) -> usize {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        usize::from(*first) % end
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 1
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

struct Generator<'a, 'b> {
    bytes: &'a mut Bytes<'b>,
    isa: VectorIsa,
    machine: MachineFunction,
    /// For each block the blocks that come before it on every way.
    dominators: Vec<Vec<usize>>,
    /// The registers that are defined in each block so far.
    defined: Vec<Vec<Reg>>,
    here: usize,
}

impl<'a, 'b> Generator<'a, 'b> {
    /// Chooses how blocks follow each other.
    fn new(bytes: &'a mut Bytes<'b>, isa: VectorIsa) -> Self {
        let count = 1 + bytes.below(BLOCKS);
        let mut machine =
            MachineFunction { pool: vec![0; POOL], counts_steps: bytes.one_in(4), ..MachineFunction::default() };
        let classes: &[Class] = match isa {
            VectorIsa::Avx512 => &[Class::Vector, Class::Mask, Class::General],
            VectorIsa::Avx2 => &[Class::Vector, Class::General],
        };
        for number in 0..count {
            let params = if number == 0 { 0 } else { bytes.below(PARAMS) };
            let params = (0..params).map(|_| machine.reg(bytes.pick(classes))).collect();
            let to = |block| Edge { block, args: Vec::new() };
            let end = match bytes.below(3) {
                _ if number + 1 == count => End::Exit,
                0 => End::Jump(to(number + 1)),
                _ => {
                    // Nothing goes back to where the code starts.
                    let other = 1 + bytes.below(count - 1);
                    let condition = bytes.pick(&[Condition::Equal, Condition::Less, Condition::AboveEqual]);
                    let (then, otherwise) =
                        if bytes.one_in(2) { (to(number + 1), to(other)) } else { (to(other), to(number + 1)) };
                    End::Branch { condition, then, otherwise }
                }
            };
            machine.blocks.push(Block { params, insts: Vec::new(), end, depth: bytes.below(3) as u32 });
        }
        let dominators = dominators(&machine);
        let defined = machine.blocks.iter().map(|block| block.params.clone()).collect();
        Generator { bytes, isa, machine, dominators, defined, here: 0 }
    }

    fn machine(mut self) -> MachineFunction {
        for number in 0..self.machine.blocks.len() {
            self.here = number;
            for _ in 0..self.bytes.below(INSTS) {
                self.inst();
            }
            if matches!(self.machine.blocks[number].end, End::Branch { .. }) {
                self.flags();
            }
            let mut end = self.machine.blocks[number].end.clone();
            for edge in end.edges_mut() {
                let params = self.machine.blocks[edge.block].params.clone();
                edge.args = params.into_iter().map(|param| self.moved(self.machine.classes[param.index()])).collect();
            }
            self.machine.blocks[number].end = end;
        }
        self.machine
    }

    /// A register of a class that is defined here.
    fn find(&mut self, class: Class) -> Option<Reg> {
        let blocks = &self.dominators[self.here];
        let all = blocks.iter().flat_map(|&block| &self.defined[block]);
        let fitting: Vec<Reg> = all.copied().filter(|reg| self.machine.classes[reg.index()] == class).collect();
        if fitting.is_empty() { None } else { Some(self.bytes.pick(&fitting)) }
    }

    /// The same; it is defined first if there is none.
    fn reg(&mut self, class: Class) -> Reg {
        self.find(class).unwrap_or_else(|| match class {
            Class::Vector => {
                let constant = Arg::Mem(self.constant());
                self.define(Class::Vector, InstKind::Plain(self.isa.code(Vop::Load)), &[constant])
            }
            Class::Mask => {
                let vector = Arg::Reg(self.reg(Class::Vector));
                let compare = InstKind::Plain(Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8);
                self.define(Class::Mask, compare, &[vector, vector, Arg::Imm(1)])
            }
            Class::General => {
                let x = Arg::Mem(Mem::at(Base::Context, context::X));
                self.define(Class::General, InstKind::Plain(Code::Mov_r32_rm32), &[x])
            }
        })
    }

    fn mask(&mut self) -> Reg {
        self.reg(self.isa.mask_class())
    }

    fn push(&mut self, inst: Inst) {
        self.machine.blocks[self.here].insts.push(inst);
    }

    fn define(&mut self, class: Class, kind: InstKind, args: &[Arg]) -> Reg {
        let reg = self.machine.reg(class);
        self.push(Inst::new(kind, Some(reg), args));
        self.defined[self.here].push(reg);
        reg
    }

    /// A vector of constants.
    fn constant(&mut self) -> Mem {
        Mem::at(Base::Pool, self.bytes.below(POOL / 16) as i32 * 64)
    }

    /// A vector operand that may lie in memory.
    fn operand(&mut self) -> Arg {
        if self.bytes.one_in(8) { Arg::Mem(self.constant()) } else { Arg::Reg(self.reg(Class::Vector)) }
    }

    /// What an edge gives a parameter.
    fn moved(&mut self, class: Class) -> Arg {
        let memory = match class {
            Class::Vector if self.bytes.one_in(2) => Mem { broadcast: true, ..self.constant() },
            Class::Vector | Class::Mask => self.constant(),
            Class::General => Mem::at(Base::Context, context::X),
        };
        match self.find(class) {
            Some(reg) if !self.bytes.one_in(8) => Arg::Reg(reg),
            _ => Arg::Mem(memory),
        }
    }

    /// What a branch looks at.
    fn flags(&mut self) {
        let (code, args) = match (self.bytes.below(3), self.isa) {
            (0, _) => (Code::Cmp_rm32_imm32, [Arg::Reg(self.reg(Class::General)), Arg::Imm(7)]),
            (1, _) => (Code::Cmp_r32_rm32, [Arg::Reg(self.reg(Class::General)), Arg::Mem(self.word())]),
            (_, VectorIsa::Avx512) => (Code::VEX_Kortestw_kr_kr, [Arg::Reg(self.mask()), Arg::Reg(self.mask())]),
            (_, VectorIsa::Avx2) => (Code::VEX_Vptest_ymm_ymmm256, [Arg::Reg(self.mask()), Arg::Reg(self.mask())]),
        };
        self.push(Inst::new(InstKind::Plain(code), None, &args));
    }

    fn inst(&mut self) {
        let (v, general) = (Class::Vector, Class::General);
        match self.bytes.below(16) {
            0..5 => {
                let operations = [Vop::Add, Vop::Mul, Vop::IntAdd, Vop::And, Vop::SignedMin, Vop::Permute, Vop::Min];
                let kind = InstKind::Plain(self.isa.code(self.bytes.pick(&operations)));
                let args = [Arg::Reg(self.reg(v)), self.operand()];
                self.define(v, kind, &args);
            }
            5 => {
                let kind = InstKind::Plain(self.isa.code(self.bytes.pick(&[Vop::ShiftLeft, Vop::PermuteQuad])));
                let args = [Arg::Reg(self.reg(v)), Arg::Imm(3)];
                self.define(v, kind, &args);
            }
            6 => {
                let kind = InstKind::Plain(self.isa.code(self.bytes.pick(&[Vop::Move, Vop::Sqrt, Vop::ToInt])));
                let arg = Arg::Reg(self.reg(v));
                self.define(v, kind, &[arg]);
            }
            7 | 8 => {
                let kind = InstKind::Fma { negate_product: self.bytes.one_in(2), negate_addend: self.bytes.one_in(2) };
                let mut args = [0; 3].map(|_| Arg::Reg(self.reg(v)));
                if self.bytes.one_in(4) {
                    args[self.bytes.below(3)] = Arg::Mem(self.constant());
                }
                self.define(v, kind, &args);
            }
            9 => self.compare(),
            10 => self.blend(),
            11 => self.masks(),
            12 => {
                let mem = self.place();
                let mask = if self.bytes.one_in(3) { None } else { Some(self.mask()) };
                if self.bytes.one_in(2) {
                    let to = self.define(v, InstKind::Gather, &[Arg::Mem(mem)]);
                    let block = &mut self.machine.blocks[self.here];
                    block
                        .insts
                        .iter_mut()
                        .rfind(|inst| inst.def == Some(to))
                        .into_iter()
                        .for_each(|inst| inst.mask = mask);
                } else {
                    let value = Arg::Reg(self.reg(v));
                    let scatter = Inst::new(InstKind::Scatter, None, &[value, Arg::Mem(Mem { scale: 1, ..mem })]);
                    self.push(Inst { mask, ..scatter });
                }
            }
            13 => {
                let (code, second) = match self.bytes.below(4) {
                    0 => (Code::Add_r64_rm64, Arg::Reg(self.reg(general))),
                    1 => (Code::Add_rm32_imm32, Arg::Imm(16)),
                    2 => (Code::Xor_r32_rm32, Arg::Mem(self.word())),
                    _ => (Code::Shl_rm32_imm8, Arg::Imm(4)),
                };
                let first = Arg::Reg(self.reg(general));
                self.define(general, InstKind::Tied(code), &[first, second]);
            }
            14 => {
                let vector = Arg::Reg(self.reg(v));
                self.define(general, InstKind::Plain(self.isa.code(Vop::FirstLane)), &[vector]);
            }
            _ => {
                let mask = Arg::Reg(self.mask());
                self.push(Inst::new(InstKind::Count(3), None, &[mask]));
                if self.machine.counts_steps {
                    self.push(Inst::new(InstKind::Steps(Steps::Take(2)), None, &[]));
                }
            }
        }
    }

    /// Where a word is accessed.
    fn word(&mut self) -> Mem {
        let base = Base::Reg(self.reg(Class::General));
        Mem { index: Some(self.reg(Class::General)), scale: 4, ..Mem::at(base, 80) }
    }

    /// Where lanes are accessed.
    fn place(&mut self) -> Mem {
        let base = Base::Reg(self.reg(Class::General));
        let scale = self.bytes.pick(&[1, 4]);
        Mem { index: Some(self.reg(Class::Vector)), scale, ..Mem::at(base, 16) }
    }

    fn compare(&mut self) {
        let args = [Arg::Reg(self.reg(Class::Vector)), self.operand(), Arg::Imm(1)];
        let kind = InstKind::Plain(self.isa.code(Vop::Compare));
        self.define(self.isa.mask_class(), kind, &args);
    }

    fn blend(&mut self) {
        let code = match self.isa {
            VectorIsa::Avx512 => Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32,
            VectorIsa::Avx2 => Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm,
        };
        let mask = Some(self.mask());
        let args = [Arg::Reg(self.reg(Class::Vector)), self.operand()];
        let def = self.machine.reg(Class::Vector);
        self.push(Inst { mask, ..Inst::new(InstKind::Plain(code), Some(def), &args) });
        self.defined[self.here].push(def);
    }

    fn masks(&mut self) {
        let codes = match self.isa {
            VectorIsa::Avx512 => [Code::VEX_Kandw_kr_kr_kr, Code::VEX_Korw_kr_kr_kr, Code::VEX_Kandnw_kr_kr_kr],
            VectorIsa::Avx2 => {
                [Code::VEX_Vpand_ymm_ymm_ymmm256, Code::VEX_Vpor_ymm_ymm_ymmm256, Code::VEX_Vpandn_ymm_ymm_ymmm256]
            }
        };
        let kind = InstKind::Plain(self.bytes.pick(&codes));
        let args = [Arg::Reg(self.mask()), Arg::Reg(self.mask())];
        self.define(self.isa.mask_class(), kind, &args);
    }
}

/// For each block the blocks that come before it on every way, itself included. Blocks that nothing leads to have none but
/// themselves.
fn dominators(machine: &MachineFunction) -> Vec<Vec<usize>> {
    let count = machine.blocks.len();
    let mut sets: Vec<u32> = vec![(1 << count) - 1; count];
    sets[0] = 1;
    let mut changed = true;
    while changed {
        changed = false;
        for block in 1..count {
            let from =
                machine.blocks.iter().enumerate().filter(|(_, of)| of.end.edges().any(|edge| edge.block == block));
            let met = from.map(|(from, _)| sets[from]).fold(u32::MAX, |met, set| met & set);
            let new = met & ((1 << count) - 1) | 1 << block;
            changed |= std::mem::replace(&mut sets[block], new) != new;
        }
    }
    sets.iter().map(|&set| (0..count).filter(|at| set >> at & 1 != 0).collect()).collect()
}

#[cfg(test)]
mod tests {
    /// A generator of 64 bits by multiplication and addition, of which the upper bits are good.
    fn bytes(seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        let length = 1 + usize::from(next()) * 4;
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn registers_are_where_they_are_used() {
        (0..3000).for_each(|seed| super::allocation(&bytes(seed)));
    }
}
