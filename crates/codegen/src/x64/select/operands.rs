//! Operands, and the instructions that take them.

use super::{Selector, Val};
use crate::context;
use crate::mir::{Arg, Base, Class, Mem, Reg};
use crate::target::Target;
use crate::x64::isa::{self, Vop};
use crate::x64::{Inst, InstKind};
use ctm_lane::Value;
use iced_x86::Code;

/// Whether this is arithmetic of floats that rounds, and whose rounding an instruction can name.
fn rounds(kind: InstKind) -> bool {
    use Code::*;
    match kind {
        InstKind::Fma { .. } => true,
        InstKind::Plain(code) => matches!(
            code,
            EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er
                | EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er
                | EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er
                | EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er
                | EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er
        ),
        InstKind::Tied(_) | InstKind::Gather | InstKind::Scatter | InstKind::Count(_) | InstKind::Steps(_) => false,
    }
}

impl Selector<'_> {
    /// Appends an instruction that defines a new register.
    pub fn define(&mut self, class: Class, kind: InstKind, args: &[Arg]) -> Reg {
        let mut inst = Inst::new(kind, None, args);
        inst.effect = false;
        for arg in &mut inst.args {
            if let Arg::Mem(mem) = *arg
                && !self.can_read(kind, mem)
            {
                *arg = Arg::Reg(self.load_arg(*arg));
            }
        }
        inst.def = Some(self.machine.reg(class));
        let can_be_quiet = self.isa.can_be_quiet() && self.float_mode.rounds_to_nearest();
        inst.quiet = self.mode.speculates && can_be_quiet && rounds(kind);
        self.insts.push(inst);
        Reg::new(self.machine.classes.len() - 1)
    }

    /// Whether an instruction can have this memory operand.
    pub fn can_read(&self, kind: InstKind, mem: Mem) -> bool {
        match kind {
            InstKind::Plain(code) | InstKind::Tied(code) => {
                isa::takes_memory(code) && (self.isa.broadcasts() || !mem.broadcast)
            }
            InstKind::Fma { .. } | InstKind::Gather | InstKind::Scatter | InstKind::Count(_) | InstKind::Steps(_) => {
                self.isa.broadcasts() || !mem.broadcast
            }
        }
    }

    pub fn vector(&mut self, code: Code, args: &[Arg]) -> Reg {
        self.define(Class::Vector, InstKind::Plain(code), args)
    }

    pub fn vector_op(&mut self, op: Vop, args: &[Arg]) -> Reg {
        let class = if op == Vop::FirstLane { Class::General } else { Class::Vector };
        self.define(class, InstKind::Plain(self.isa.code(op)), args)
    }

    pub fn two(&mut self, op: Vop, a: Reg, b: Reg) -> Reg {
        self.vector_op(op, &[Arg::Reg(a), Arg::Reg(b)])
    }

    pub fn with_constant(&mut self, op: Vop, a: Reg, bits: u32) -> Reg {
        let bits = self.constant(bits);
        self.vector_op(op, &[Arg::Reg(a), bits])
    }

    pub fn shifted(&mut self, op: Vop, a: Reg, count: u32) -> Reg {
        self.vector_op(op, &[Arg::Reg(a), Arg::Imm(count.cast_signed())])
    }

    /// `a * b + c` with one rounding.
    pub fn fused(&mut self, a: Reg, b: Arg, c: Arg) -> Reg {
        let kind = InstKind::Fma { negate_product: false, negate_addend: false };
        self.define(Class::Vector, kind, &[Arg::Reg(a), b, c])
    }

    pub fn general(&mut self, code: Code, args: &[Arg]) -> Reg {
        self.define(Class::General, InstKind::Plain(code), args)
    }

    pub fn tied_general(&mut self, code: Code, args: &[Arg]) -> Reg {
        self.define(Class::General, InstKind::Tied(code), args)
    }

    /// Gives the last instruction a mask.
    pub fn under(&mut self, mask: Reg, zeroing: bool) {
        if let Some(last) = self.insts.last_mut() {
            last.mask = Some(mask);
            last.zeroing = zeroing;
        }
    }

    /// The operands of the last instruction may change places.
    pub fn commutes(&mut self) {
        if let Some(last) = self.insts.last_mut() {
            last.commutes = true;
        }
    }

    pub fn pool_at(&mut self, words: &[u32]) -> i32 {
        if let Some(&at) = self.pool.get(words) {
            return at;
        }
        let pool = &mut self.machine.pool;
        if words.len() > 1 {
            pool.resize(pool.len().next_multiple_of(16), 0);
        }
        let at = pool.len() as i32 * 4;
        pool.extend_from_slice(words);
        self.pool.insert(words.to_vec(), at);
        at
    }

    /// A constant in every lane, as a memory operand.
    pub fn constant(&mut self, bits: u32) -> Arg {
        if self.isa.broadcasts() {
            let at = self.pool_at(&[bits]);
            Arg::Mem(Mem { broadcast: true, ..Mem::at(Base::Pool, at) })
        } else {
            self.vector_constant(&vec![bits; self.isa.lanes() as usize])
        }
    }

    /// A constant for each lane, as a memory operand.
    pub fn vector_constant(&mut self, words: &[u32]) -> Arg {
        let at = self.pool_at(words);
        Arg::Mem(Mem::at(Base::Pool, at))
    }

    /// Whether the value lies in memory for the whole call.
    pub fn is_constant(&self, value: Value) -> bool {
        matches!(self.values[value.index()], Val::Const(_) | Val::Entry(..))
    }

    /// An operand that can be memory.
    pub fn arg(&mut self, value: Value) -> Arg {
        self.arg_of(self.values[value.index()])
    }

    pub(super) fn arg_of(&mut self, val: Val) -> Arg {
        match val {
            Val::Reg(reg) => Arg::Reg(reg),
            Val::Const(bits) => self.constant(bits),
            Val::Entry(pointer, index) => {
                let entry = Mem { broadcast: true, ..Mem::at(Base::Reg(pointer), index.cast_signed() * 4) };
                // Otherwise every use would take an instruction; a register in the frame is an operand, too.
                if self.isa.broadcasts() { Arg::Mem(entry) } else { Arg::Reg(self.hoisted(Arg::Mem(entry))) }
            }
            Val::Vector(row, number) => Arg::Mem(self.vector_of_row(row, number)),
            Val::None | Val::MaskConst(_) | Val::UniformConst(_) => {
                self.refuse();
                Arg::None
            }
        }
    }

    /// A register for what may be memory.
    pub fn load_arg(&mut self, arg: Arg) -> Reg {
        match arg {
            Arg::Reg(reg) => reg,
            Arg::Mem(mem) if mem.broadcast => {
                let plain = Arg::Mem(Mem { broadcast: false, ..mem });
                self.vector_op(Vop::Broadcast, &[plain])
            }
            Arg::Mem(_) | Arg::Imm(_) | Arg::None => self.vector_op(Vop::Load, &[arg]),
        }
    }

    /// A register for a constant or an entry of a table, loaded once per call.
    pub fn hoisted(&mut self, arg: Arg) -> Reg {
        let Arg::Mem(mem) = arg else { return self.load_arg(arg) };
        if let Some(&reg) = self.hoisted.get(&mem) {
            return reg;
        }
        let reg = self.once(|selector| selector.load_arg(arg));
        self.hoisted.insert(mem, reg);
        reg
    }

    /// An operand that is a register.
    pub fn reg(&mut self, value: Value) -> Reg {
        let arg = self.arg(value);
        self.load_arg(arg)
    }

    pub fn constant_reg(&mut self, bits: u32) -> Reg {
        let arg = self.constant(bits);
        self.load_arg(arg)
    }

    /// A uniform as an operand: a register or an immediate.
    pub fn uniform(&mut self, value: Value) -> Arg {
        match self.values[value.index()] {
            Val::UniformConst(value) => Arg::Imm(value),
            Val::None | Val::Reg(_) | Val::Const(_) | Val::Entry(..) | Val::Vector(..) | Val::MaskConst(_) => {
                Arg::Reg(self.uniform_reg(value))
            }
        }
    }

    pub fn uniform_reg(&mut self, value: Value) -> Reg {
        match self.values[value.index()] {
            Val::Reg(reg) => reg,
            Val::UniformConst(value) => {
                let at = self.pool_at(&[value.cast_unsigned()]);
                self.general(Code::Mov_r32_rm32, &[Arg::Mem(Mem::at(Base::Pool, at))])
            }
            Val::None | Val::Const(_) | Val::Entry(..) | Val::Vector(..) | Val::MaskConst(_) => {
                self.refuse();
                self.x
            }
        }
    }

    /// The register of a value that is in one.
    pub fn known_reg(&self, value: Value) -> Option<Reg> {
        if let Val::Reg(reg) = self.values[value.index()] { Some(reg) } else { None }
    }

    pub fn set(&mut self, value: Value, reg: Reg) {
        self.values[value.index()] = Val::Reg(reg);
    }

    /// One of the context's pointers, loaded once per call.
    pub fn pointer(&mut self, number: usize) -> Reg {
        if let Some(&reg) = self.pointers.get(&number) {
            return reg;
        }
        let reg = self.once(|selector| {
            let all = selector.general(Code::Mov_r64_rm64, &[Arg::Mem(Mem::at(Base::Context, context::POINTERS))]);
            let at = Mem::at(Base::Reg(all), 8 * number as i32);
            selector.general(Code::Mov_r64_rm64, &[Arg::Mem(at)])
        });
        self.pointers.insert(number, reg);
        reg
    }

    pub fn table(&mut self, table: ctm_lane::Table) -> Reg {
        self.pointer(table.index())
    }

    pub fn base(&mut self, surface: ctm_lane::Surface) -> Reg {
        self.pointer(self.function.tables.len() + surface.index())
    }

    pub fn array_pointer(&mut self, array: ctm_lane::Array) -> Reg {
        let buffers = self.function.buffers as usize;
        self.pointer(self.function.tables.len() + self.layouts.len() + buffers + array.index())
    }

    /// The place 2^31 bytes after the start of a buffer, from which signed offsets reach all of it.
    pub fn buffer_middle(&mut self, buffer: ctm_lane::Buffer) -> Reg {
        self.pointer(self.function.tables.len() + self.layouts.len() + buffer.index())
    }

    /// In every lane the number of byte addresses of a buffer that have a whole word.
    pub fn word_count(&mut self, buffer: ctm_lane::Buffer) -> Reg {
        let all = match self.words {
            Some(reg) => reg,
            None => {
                let at = Arg::Mem(Mem::at(Base::Context, context::WORDS));
                let reg = self.once(|selector| selector.general(Code::Mov_r64_rm64, &[at]));
                *self.words.insert(reg)
            }
        };
        let at = Mem { broadcast: true, ..Mem::at(Base::Reg(all), 4 * buffer.index() as i32) };
        self.hoisted(Arg::Mem(at))
    }
}
