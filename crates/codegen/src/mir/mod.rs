//! Machine instructions over virtual registers, in blocks with parameters: what selection makes, and the allocator and
//! the encoder take. The opcodes are a target's; everything else is the same for all.

#[cfg(test)]
mod parse;
#[cfg(any(test, debug_assertions))]
mod print;

#[cfg(test)]
pub use print::Text;
use std::fmt::Debug;
use std::num::NonZeroU32;

/// What an instruction is, as a target's encoder knows it.
pub trait Opcode: Copy + Eq + Debug {
    /// The opcode that `Debug` writes so.
    #[cfg(test)]
    fn parse(name: &str) -> Option<Self>;
}

/// A virtual register; defined once, by an instruction or as a parameter of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(
    /// Its number plus 1, so that `Option<Reg>` is as small.
    NonZeroU32,
);

impl Reg {
    /// The register with this number, counted from 0.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index + 1).ok().and_then(NonZeroU32::new).expect("functions have fewer registers"))
    }

    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A file of machine registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Vector registers.
    Vector,
    /// Mask registers.
    Mask,
    /// General registers.
    General,
}

/// What an address counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// The constants in front of the code.
    Pool,
    /// The context of the call.
    Context,
    /// A general register.
    Reg(Reg),
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    pub base: Base,
    pub index: Option<Reg>,
    pub scale: u8,
    pub disp: i32,
    /// One element is read for all lanes: a constant, which nothing writes while the code runs.
    pub broadcast: bool,
}

impl Mem {
    pub fn at(base: Base, disp: i32) -> Self {
        Self { base, index: None, scale: 1, disp, broadcast: false }
    }
}

/// An operand that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    None,
    Reg(Reg),
    Mem(Mem),
    Imm(i32),
}

impl Arg {
    pub fn reg(self) -> Option<Reg> {
        match self {
            Self::Reg(reg) => Some(reg),
            Self::None | Self::Mem(_) | Self::Imm(_) => None,
        }
    }

    /// Calls `f` on every register that is read: the operand, or what its address is made of.
    #[inline]
    pub fn for_each_use(&self, mut f: impl FnMut(Reg)) {
        // Most operands are registers; a jump table for all kinds would be predicted worse.
        if let Self::Reg(reg) = self {
            f(*reg);
        } else if let Self::Mem(mem) = self {
            if let Base::Reg(reg) = mem.base {
                f(reg);
            }
            mem.index.into_iter().for_each(f);
        }
    }
}

/// How an instruction is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstKind<O> {
    /// This machine instruction: the definition, then the operands.
    Plain(O),
    /// The same, but the first operand is the definition's old value and has no operand of its own in the encoding.
    Tied(O),
    /// `a * b + c` in whichever form destroys the operand that dies; one operand may be memory.
    Fma { negate_product: bool, negate_addend: bool },
    /// A gather by the memory operand; the mask is copied, as the instruction destroys it. The definition starts as 0.
    Gather,
    /// A scatter of the first operand to the memory operand.
    Scatter,
    /// Adds a constant to the count of instructions: as it is, or times the number of lanes in a mask, or times a general register, which only
    /// goes with 1.
    Count(u32),
    /// Something about the steps that the group may still execute.
    Steps(Steps),
}

/// What happens to the steps that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// The group has all of them.
    Refill,
    /// It executes so many.
    Take(u32),
    /// The flags become "less" if it has executed more than there were.
    Test,
}

/// Directed rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directed {
    /// Toward zero.
    Zero,
    /// Toward positive infinity.
    Up,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Inst<O> {
    pub kind: InstKind<O>,
    pub def: Option<Reg>,
    pub args: [Arg; 4],
    /// In a mask register: lanes outside keep the definition's old value (tied), or become 0. In a vector register: the
    /// last operand of the instruction.
    pub mask: Option<Reg>,
    pub zeroing: bool,
    /// Does more than define.
    pub effect: bool,
    /// Rounds so, whatever the mode.
    pub rounding: Option<Directed>,
    /// Rounds to nearest, and need not raise flags.
    pub quiet: bool,
    /// The two operands may change places, whatever NaNs they are.
    pub commutes: bool,
    /// The guest instruction that this is a part of, where that is known.
    pub pc: Option<u32>,
}

impl<O> Inst<O> {
    pub fn new(kind: InstKind<O>, def: Option<Reg>, args: &[Arg]) -> Self {
        let mut all = [Arg::None; 4];
        all[..args.len()].copy_from_slice(args);
        Self {
            kind,
            def,
            args: all,
            mask: None,
            zeroing: false,
            effect: def.is_none(),
            rounding: None,
            quiet: false,
            commutes: false,
            pc: None,
        }
    }

    /// Calls `f` on every register that is read.
    #[inline]
    pub fn for_each_use(&self, mut f: impl FnMut(Reg)) {
        self.args.iter().for_each(|arg| arg.for_each_use(&mut f));
        self.mask.into_iter().for_each(f);
    }

    /// Replaces the registers that are read.
    pub fn replace_uses(&mut self, replace: impl Fn(&mut Reg)) {
        for arg in &mut self.args {
            match arg {
                Arg::Reg(reg) => replace(reg),
                Arg::Mem(mem) => {
                    if let Base::Reg(base) = &mut mem.base {
                        replace(base);
                    }
                    mem.index.iter_mut().for_each(&replace);
                }
                Arg::None | Arg::Imm(_) => {}
            }
        }
        self.mask.iter_mut().for_each(replace);
    }
}

/// A comparison of integers: of lanes, or by the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Below,
    BelowEqual,
    Above,
    AboveEqual,
}

impl Condition {
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
            Self::Below => Self::AboveEqual,
            Self::BelowEqual => Self::Above,
            Self::Above => Self::BelowEqual,
            Self::AboveEqual => Self::Below,
        }
    }
}

/// A block to go to, with arguments for its parameters: registers or memory.
#[derive(Clone, Debug)]
pub struct Edge {
    pub block: usize,
    pub args: Vec<Arg>,
}

/// The end of a block.
#[derive(Clone, Debug)]
pub enum End {
    Jump(Edge),
    /// Goes one way or the other by the flags that the last instruction leaves.
    Branch {
        condition: Condition,
        then: Edge,
        otherwise: Edge,
    },
    /// The code returns.
    Exit,
}

impl End {
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (a, b) = match self {
            Self::Jump(edge) => (Some(edge), None),
            Self::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Self::Exit => (None, None),
        };
        a.into_iter().chain(b)
    }

    pub fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (a, b) = match self {
            Self::Jump(edge) => (Some(edge), None),
            Self::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Self::Exit => (None, None),
        };
        a.into_iter().chain(b)
    }
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block<O> {
    pub params: Vec<Reg>,
    pub insts: Vec<Inst<O>>,
    pub end: End,
    /// How many loops it is inside of.
    pub depth: u32,
}

impl<O: Copy> Block<O> {
    /// Puts instructions in front of those with these numbers, which do not fall.
    pub fn insert(&mut self, new: &[(usize, Inst<O>)]) {
        let (Some(&(_, first)), mut end) = (new.first(), self.insts.len()) else { return };
        self.insts.resize(end + new.len(), first);
        // From the last to the first, so that each is moved once.
        for (already, &(at, inst)) in new.iter().enumerate().rev() {
            self.insts.copy_within(at..end, at + already + 1);
            self.insts[at + already] = inst;
            end = at;
        }
    }
}

impl<O> Block<O> {
    /// How often it is executed, estimated by the loops around it.
    pub fn frequency(&self) -> f32 {
        (1u32 << (3 * self.depth.min(6))) as f32
    }
}

/// A whole piece of code; block 0 is its start, and blocks lie in the order of the code.
#[derive(Clone, Debug)]
pub struct MachineFunction<O> {
    pub classes: Vec<Class>,
    pub blocks: Vec<Block<O>>,
    /// Words in front of the code.
    pub pool: Vec<u32>,
    /// Whether steps are counted, which takes a register.
    pub counts_steps: bool,
}

impl<O> Default for MachineFunction<O> {
    fn default() -> Self {
        MachineFunction { classes: Vec::new(), blocks: Vec::new(), pool: Vec::new(), counts_steps: false }
    }
}

/// Rounds over a function in which it is found out what is used; then all of it counts as that.
const MOST_ROUNDS: usize = 64;

impl<O> MachineFunction<O> {
    pub fn reg(&mut self, class: Class) -> Reg {
        self.classes.push(class);
        Reg::new(self.classes.len() - 1)
    }

    /// How much there is for a pass to look at.
    pub fn size(&self) -> usize {
        let of_block = |block: &Block<O>| {
            let args: usize = block.end.edges().map(|edge| edge.args.len()).sum();
            1 + block.params.len() + 4 * block.insts.len() + args
        };
        self.blocks.iter().map(of_block).sum()
    }

    /// Instructions that it executes, by the estimate of how often blocks are executed.
    pub fn executed(&self) -> f32 {
        self.blocks.iter().map(|block| block.frequency() * block.insts.len() as f32).sum()
    }

    /// Removes dead instructions and parameters: nothing reads what they define.
    pub fn remove_dead(&mut self) {
        let mut used = vec![false; self.classes.len()];
        let (mut changed, mut rounds) = (true, 0);
        // A parameter is used if its user is; one more round for each nesting of loops settles that.
        while changed {
            rounds += 1;
            if rounds > MOST_ROUNDS {
                used.fill(true);
            }
            changed = false;
            for at in (0..self.blocks.len()).rev() {
                for edge in self.blocks[at].end.edges() {
                    for (arg, param) in edge.args.iter().zip(&self.blocks[edge.block].params) {
                        if let (Arg::Reg(reg), true) = (arg, used[param.index()]) {
                            changed |= !std::mem::replace(&mut used[reg.index()], true);
                        }
                    }
                }
                for inst in self.blocks[at].insts.iter().rev() {
                    if inst.effect || inst.def.is_some_and(|def| used[def.index()]) {
                        inst.for_each_use(|reg| changed |= !std::mem::replace(&mut used[reg.index()], true));
                    }
                }
            }
        }
        let dead: Vec<Vec<bool>> =
            self.blocks.iter().map(|block| block.params.iter().map(|param| !used[param.index()]).collect()).collect();
        for block in &mut self.blocks {
            block.insts.retain(|inst| inst.effect || inst.def.is_some_and(|def| used[def.index()]));
            let keep = |edge: &mut Edge| {
                let mut at = 0;
                edge.args.retain(|_| {
                    at += 1;
                    !dead[edge.block][at - 1]
                });
            };
            match &mut block.end {
                End::Jump(edge) => keep(edge),
                End::Branch { then, otherwise, .. } => {
                    keep(then);
                    keep(otherwise);
                }
                End::Exit => {}
            }
            block.params.retain(|param| used[param.index()]);
        }
    }
}
