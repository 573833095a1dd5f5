//! The bits of NaNs in exact code.
//!
//! NaN results may have bits of their own (`canon_nan`), and the first NaN operand may come through (`pass_nan`, in chains
//! after arithmetic).
//!
//! The processor's result is a NaN in two cases. If an operand is one, the result is the first such operand, quieted: that
//! is what a chain says that passes the operands on in the order in which the instruction has them. If not, the operation
//! was invalid, and the result is the processor's own NaN. So where chain and instruction name the same registers in the
//! same order, code has to put the guest's NaN only where the result is a NaN and no operand is.
//!
//! An operand may stand for another whose NaN it carries: the square root of x, or x times a number, is a NaN with the
//! quieted bits of x if x is a NaN, and otherwise only after an invalid operation.

use super::arithmetic::QUIET;
use super::{Selector, Val};
use crate::mir::{Arg, Base, Mem, Reg};
use crate::x64::isa::Vop;
use ctm_lane::{FloatTest, Function, Op, Value};

/// `canon_nan` and the `pass_nan`s after it, after one operation.
struct Chain {
    base: Value,
    nan: u32,
    /// The operands that are passed on, the first one first.
    passes: Vec<Value>,
}

/// What is known of NaNs in a function.
#[derive(Default)]
pub struct Nans {
    /// For members of chains the operation in front, and how many operands the chain up to here passes on.
    members: Vec<Option<(Value, u32)>>,
    /// For operations the last member of the longest chain after it.
    longest: Vec<Option<Value>>,
    /// Members of chains that only the next member reads.
    inner: Vec<bool>,
    /// For results of arithmetic, by register: the block, and the operands that may be NaNs, in the instruction's order.
    operands: Vec<Option<(usize, Operands)>>,
}

/// Up to three values in a row, and nothing after them.
type Operands = [Val; 3];

impl Nans {
    pub fn new(function: &Function, uses: &[u32]) -> Self {
        let none = vec![None; function.value_count()];
        let mut nans = Self {
            members: none,
            longest: vec![None; uses.len()],
            inner: vec![false; uses.len()],
            operands: Vec::new(),
        };
        for inst in function.blocks().flat_map(|block| function.insts(block)).copied() {
            let args = function.args(inst);
            let op = function.op(inst);
            let member = if matches!(op, Op::CanonNan { .. }) {
                Some((args[0], 0))
            } else if matches!(op, Op::PassNan {}) {
                nans.inner[args[0].index()] = uses[args[0].index()] == 1;
                nans.members[args[0].index()].map(|(base, passes)| (base, passes + 1))
            } else {
                None
            };
            if let Some((base, passes)) = member {
                let result = function.result(inst);
                nans.members[result.index()] = member;
                let longest = &mut nans.longest[base.index()];
                let length = longest.and_then(|last| nans.members[last.index()]).map_or(0, |(_, passes)| passes);
                if passes > length {
                    *longest = Some(result);
                }
            }
        }
        nans
    }

    /// What the longest chain after an operation passes on, the first one first.
    fn passes<'f>(&self, function: &'f Function, base: Value) -> impl Iterator<Item = Value> + use<'f> {
        let last = self.longest.get(base.index()).copied().flatten();
        let passed = |member| match function.defining_op(member) {
            Some((Op::PassNan {}, &[before, pass])) => Some((before, pass)),
            _ => None,
        };
        let members = std::iter::successors(last.and_then(passed), move |&(before, _)| passed(before));
        members.map(|(_, pass)| pass)
    }

    /// The chain that ends with this value.
    fn chain(&self, function: &Function, last: Value) -> Option<Chain> {
        self.members[last.index()]?;
        let (mut at, mut passes) = (last, Vec::new());
        loop {
            match function.defining_op(at)? {
                (Op::PassNan {}, &[before, pass]) => {
                    passes.push(pass);
                    at = before;
                }
                (Op::CanonNan { nan }, &[base]) => return Some(Chain { base, nan: nan.0, passes }),
                _ => return None,
            }
        }
    }

    /// The block of an arithmetic result, and the operands whose NaNs come through.
    fn operands(&self, result: Reg) -> Option<(usize, &[Val])> {
        let (block, operands) = self.operands.get(result.index())?.as_ref()?;
        let count = operands.iter().take_while(|&&val| val != Val::None).count();
        Some((*block, &operands[..count]))
    }
}

impl Selector<'_> {
    /// A sum or a product: `operands` in the order in which their NaNs come through.
    pub fn commuted(&mut self, op: Vop, (a, b): (Value, Value), result: Value) -> Reg {
        let mut passes = self.nans.passes(self.function, result).peekable();
        let may_be_nan = |value: &Value| self.ranges.get(*value).nan;
        let both = may_be_nan(&a) && may_be_nan(&b) && passes.peek().is_some();
        if !both {
            let (a, b) = if self.is_constant(a) { (b, a) } else { (a, b) };
            let reg = self.binary(op, a, b);
            self.commutes();
            return self.note_operands(reg, &[a, b]);
        }
        let carried = |value: Value| self.carried(self.values[value.index()]);
        let first = passes.find(may_be_nan).map(carried);
        let (a, b) = if first == Some(carried(b)) && first != Some(carried(a)) { (b, a) } else { (a, b) };
        let reg = self.binary(op, a, b);
        self.note_operands(reg, &[a, b])
    }

    /// A difference; if a chain after it passes the negated subtrahend on, a sum with that.
    pub fn difference(&mut self, (a, b): (Value, Value), result: Value) -> Reg {
        let mut passes = self.nans.passes(self.function, result);
        let negated = passes.find(|&pass| match self.function.defining_op(pass) {
            Some((Op::Neg {}, args)) => {
                self.values[args[0].index()] == self.values[b.index()]
                    && matches!(self.values[pass.index()], Val::Reg(_))
            }
            _ => false,
        });
        match negated {
            Some(negated) => self.commuted(Vop::Add, (a, negated), result),
            None => {
                let reg = self.binary(Vop::Sub, a, b);
                self.note_operands(reg, &[a, b])
            }
        }
    }

    /// Notes the operands of an instruction whose NaNs come through, the first one first; gives the result.
    pub fn note_operands(&mut self, result: Reg, operands: &[Value]) -> Reg {
        if self.mode.speculates {
            return result;
        }
        let may_be_nan = operands.iter().filter(|&&operand| self.ranges.get(operand).nan);
        let mut noted = Operands::default();
        for (slot, operand) in noted.iter_mut().zip(may_be_nan) {
            *slot = self.values[operand.index()];
        }
        if self.nans.operands.len() <= result.index() {
            self.nans.operands.resize(result.index() + 1, None);
        }
        self.nans.operands[result.index()] = Some((self.here, noted));
        result
    }

    /// Whose NaN the value carries.
    fn carried(&self, mut val: Val) -> Val {
        while let Val::Reg(reg) = val
            && let Some((_, [only])) = self.nans.operands(reg)
        {
            val = *only;
        }
        val
    }

    /// Whether the value carries the NaN of the other one.
    fn carries(&self, mut val: Val, other: Val) -> bool {
        while val != other {
            let Val::Reg(reg) = val else { return false };
            match self.nans.operands(reg) {
                Some((_, [only])) => val = *only,
                _ => return false,
            }
        }
        true
    }

    /// The value of a `canon_nan` or a `pass_nan`; `None` if its turn comes with the last of its chain.
    pub(super) fn with_nan_bits(&mut self, value: Value, op: &Op, args: &[Value]) -> Val {
        let base = self.values[args[0].index()];
        if self.mode.speculates {
            // A constant is not tainted.
            let is_constant_nan = matches!(base, Val::Const(bits) if f32::from_bits(bits).is_nan());
            return if is_constant_nan { self.one_by_one(op, args) } else { base };
        }
        if !self.ranges.get(args[0]).nan {
            return base;
        }
        let Some(chain) = self.nans.chain(self.function, value) else {
            return self.one_by_one(op, args);
        };
        if self.nans.inner[value.index()] {
            return Val::None;
        }
        if let Some(val) = self.native(&chain) {
            return val;
        }
        let base = self.reg(chain.base);
        let mut reg = self.canonical(base, chain.nan);
        for &pass in chain.passes.iter().rev() {
            if self.ranges.get(pass).nan {
                let pass = self.reg(pass);
                reg = self.passed(reg, pass);
            }
        }
        Val::Reg(reg)
    }

    fn one_by_one(&mut self, op: &Op, args: &[Value]) -> Val {
        let a = self.reg(args[0]);
        Val::Reg(if let Op::CanonNan { nan } = op {
            self.canonical(a, nan.0)
        } else {
            let pass = self.reg(args[1]);
            self.passed(a, pass)
        })
    }

    /// a's NaN quieted where r is a NaN too.
    fn passed(&mut self, r: Reg, a: Reg) -> Reg {
        let first = self.compare(FloatTest::Uno, r, Arg::Reg(r), None);
        let both = self.compare(FloatTest::Uno, a, Arg::Reg(a), Some(first));
        let quieted = self.with_constant(Vop::Or, a, QUIET);
        self.blend(both, Arg::Reg(quieted), r)
    }

    /// The last value of a chain whose instruction passes the same operands on in the same order.
    fn native(&mut self, chain: &Chain) -> Option<Val> {
        let Val::Reg(result) = self.values[chain.base.index()] else { return None };
        let (block, operands) = self.nans.operands(result)?;
        let operands = operands.to_vec();
        let distinct = |all: Vec<Val>| {
            let mut distinct: Vec<Val> = Vec::new();
            all.into_iter().for_each(|val| {
                if !distinct.contains(&val) {
                    distinct.push(val)
                }
            });
            distinct
        };
        let passes = chain.passes.iter().filter(|pass| self.ranges.get(**pass).nan);
        let passes = distinct(passes.map(|pass| self.values[pass.index()]).collect());
        let operands = distinct(operands);
        let is_native = match (operands.as_slice(), passes.as_slice()) {
            (&[operand], &[pass]) => self.carries(operand, pass),
            _ => operands == passes,
        };
        if !is_native {
            return None;
        }
        // Where no operand is a NaN, the guest has its own.
        let numbers = match *passes.as_slice() {
            [] => None,
            [first, ref rest @ ..] => {
                let last = rest.first().copied().unwrap_or(first);
                let (first, last) = (self.reg_of(first)?, self.reg_of(last)?);
                Some(self.compare(FloatTest::Ord, first, Arg::Reg(last), None))
            }
        };
        let invalid = self.compare(FloatTest::Uno, result, Arg::Reg(result), numbers);
        let nan = self.constant(chain.nan);
        let val = Val::Reg(self.blend(invalid, nan, result));
        // Whatever comes later reads the result with its NaNs as they are to be.
        if block == self.here {
            self.values[chain.base.index()] = val;
        }
        Some(val)
    }

    fn reg_of(&mut self, val: Val) -> Option<Reg> {
        match val {
            Val::Reg(reg) => Some(reg),
            Val::Entry(pointer, index) => {
                let entry = Mem { broadcast: true, ..Mem::at(Base::Reg(pointer), index.cast_signed() * 4) };
                Some(self.load_arg(Arg::Mem(entry)))
            }
            vector @ Val::Vector(..) => {
                let vector = self.arg_of(vector);
                Some(self.load_arg(vector))
            }
            Val::None | Val::Const(_) | Val::MaskConst(_) | Val::UniformConst(_) => None,
        }
    }
}
