//! What a function computes: a quad of invocations, instruction by instruction.

use super::op::{Axis, Fetch, Op, RULES};
use super::{End, Function, If, Inst, Loop, Node, Passes, Region, Value};
use ctm_num::{convert, x1k};
use thiserror::Error;

/// Invocations of a quad: two columns of two rows, row by row.
pub const QUAD: usize = 4;

const MINUS_ONE: u32 = 0xBF80_0000;

/// What a run of a function depends on. Numbers are bits of binary32.
pub trait Environment {
    /// A channel of a float constant.
    fn uniform(&self, register: u8, channel: u8) -> u32;
    /// A boolean constant.
    fn boolean(&self, index: u8) -> bool;
    /// How many passes an integer constant means.
    fn passes(&self, index: u8) -> u32;
    /// Column and row of the quad's first invocation.
    fn position(&self) -> [u32; 2];
    /// A channel of an interpolated input, per invocation.
    fn varying(&self, slot: u8, channel: u8) -> [u32; QUAD];
    /// What a fetch gives: per channel and invocation. Arguments are per invocation; those of invocations that do not take part are whatever
    /// they were.
    fn fetch(&self, fetch: &Fetch, args: &[[u32; QUAD]]) -> [[u32; QUAD]; 4];
}

/// What became of a quad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Bits of each output of the function, per invocation.
    pub outputs: Vec<[u32; QUAD]>,
    /// Which invocations were killed: their outputs mean nothing.
    pub killed: [bool; QUAD],
}

/// Why an evaluation ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Stop {
    /// It took more steps than it was given.
    #[error("the function takes more steps than it was given")]
    Steps,
}

type Mask = [bool; QUAD];

struct Evaluator<'a> {
    environment: &'a dyn Environment,
    values: Vec<[u32; QUAD]>,
    alive: Mask,
    steps: u64,
}

/// A loop that runs: where breaks and continues go.
struct Around<'a> {
    repeat: &'a Loop,
    /// What the next pass begins with.
    next: Vec<[u32; QUAD]>,
    continued: Mask,
}

/// Runs a valid function for a quad, for at most `steps` instructions and passes.
pub fn eval(function: &Function, environment: &dyn Environment, steps: u64) -> Result<Outcome, Stop> {
    let mut evaluator =
        Evaluator { environment, values: vec![[0; QUAD]; function.values()], alive: [true; QUAD], steps };
    evaluator.region(&function.body, [true; QUAD], None)?;
    let outputs = function.body.end.values().iter().map(|value| evaluator.values[value.index()]).collect();
    Ok(Outcome { outputs, killed: evaluator.alive.map(|alive| !alive) })
}

impl Evaluator<'_> {
    fn step(&mut self) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop::Steps)?;
        Ok(())
    }

    fn get(&self, value: Value) -> [u32; QUAD] {
        self.values[value.index()]
    }

    /// Sets a value for some invocations.
    fn set(&mut self, value: Value, active: Mask, bits: [u32; QUAD]) {
        for lane in (0..QUAD).filter(|&lane| active[lane]) {
            self.values[value.index()][lane] = bits[lane];
        }
    }

    /// Runs a region for some invocations, and says which of them yield.
    fn region(&mut self, region: &Region, active: Mask, mut around: Option<&mut Around<'_>>) -> Result<Mask, Stop> {
        let mut active = active;
        for node in &region.nodes {
            if active == [false; QUAD] {
                return Ok(active);
            }
            self.step()?;
            match node {
                Node::Inst(inst) => self.instruction(inst, &mut active),
                Node::If(choice) => active = self.choice(choice, active, around.as_deref_mut())?,
                Node::Loop(repeat) => active = self.repeat(repeat, active)?,
            }
        }
        match (&region.end, around) {
            (End::Yield(_), _) | (_, None) => Ok(active),
            (End::Break(values), Some(around)) => {
                for (&result, &value) in around.repeat.results.iter().zip(values) {
                    self.set(result, active, self.get(value));
                }
                Ok([false; QUAD])
            }
            (End::Continue(values), Some(around)) => {
                for (next, &value) in around.next.iter_mut().zip(values) {
                    let bits = self.get(value);
                    for lane in (0..QUAD).filter(|&lane| active[lane]) {
                        next[lane] = bits[lane];
                    }
                }
                for (continued, active) in around.continued.iter_mut().zip(active) {
                    *continued |= active;
                }
                Ok([false; QUAD])
            }
        }
    }

    fn choice(&mut self, choice: &If, active: Mask, mut around: Option<&mut Around<'_>>) -> Result<Mask, Stop> {
        let condition = self.get(choice.condition);
        let mut after = [false; QUAD];
        for (side, wanted) in [(&choice.then, true), (&choice.otherwise, false)] {
            let mask: Mask = std::array::from_fn(|lane| active[lane] && (condition[lane] != 0) == wanted);
            if mask == [false; QUAD] {
                continue;
            }
            let yields = self.region(side, mask, around.as_deref_mut())?;
            if let End::Yield(values) = &side.end {
                for (&result, &value) in choice.results.iter().zip(values) {
                    self.set(result, yields, self.get(value));
                }
            }
            after = std::array::from_fn(|lane| after[lane] || yields[lane]);
        }
        Ok(after)
    }

    fn repeat(&mut self, repeat: &Loop, active: Mask) -> Result<Mask, Stop> {
        let mut left = match repeat.passes {
            Passes::Endless => None,
            Passes::Times(count) => Some(u32::from(count)),
            Passes::Constant(index) => Some(self.environment.passes(index)),
        };
        let mut around =
            Around { repeat, next: repeat.init.iter().map(|&init| self.get(init)).collect(), continued: active };
        while around.continued != [false; QUAD] && left != Some(0) {
            self.step()?;
            let mask = std::mem::replace(&mut around.continued, [false; QUAD]);
            for (&param, &next) in repeat.params.iter().zip(&around.next) {
                self.set(param, mask, next);
            }
            self.region(&repeat.body, mask, Some(&mut around))?;
            left = left.map(|left| left - 1);
        }
        for (&result, &next) in repeat.results.iter().zip(&around.next) {
            self.set(result, around.continued, next);
        }
        Ok(std::array::from_fn(|lane| active[lane] && self.alive[lane]))
    }

    fn instruction(&mut self, inst: &Inst, active: &mut Mask) {
        let args: Vec<[u32; QUAD]> = inst.args.iter().map(|&arg| self.get(arg)).collect();
        let environment = self.environment;
        let bits = match inst.op {
            Op::Uniform { register, channel } => [environment.uniform(register, channel); QUAD],
            Op::UniformAt { register, channel, count } => args[0].map(|index| {
                let index = convert::float_to_index(index, u32::from(count)) as u8;
                environment.uniform(register + index, channel)
            }),
            Op::UniformInLoop { register, channel, step } => args[0].map(|pass| {
                // Addresses of constants are of eight bits (D25).
                let pass = convert::float_to_index(pass, u32::from(u8::MAX) + 1) as u8;
                environment.uniform(register.wrapping_add(pass.wrapping_mul(step as u8)), channel)
            }),
            Op::BoolConstant { index } => [environment.boolean(index).into(); QUAD],
            Op::Position { axis } => {
                let [x, y] = environment.position();
                std::array::from_fn(|lane| {
                    let place = match axis {
                        Axis::X => x + lane as u32 % 2,
                        Axis::Y => y + lane as u32 / 2,
                    };
                    (place as f32).to_bits()
                })
            }
            Op::Varying { slot, channel } => environment.varying(slot, channel),
            Op::Ddx => [x1k::mad(RULES, args[0][0], MINUS_ONE, args[0][1]); QUAD],
            Op::Ddy => [x1k::mad(RULES, args[0][0], MINUS_ONE, args[0][2]); QUAD],
            Op::Fetch(fetch) => {
                let channels = environment.fetch(&fetch, &args);
                for (&result, channel) in inst.results.iter().zip(channels) {
                    self.set(result, *active, channel);
                }
                return;
            }
            Op::Kill(_) => {
                for lane in 0..QUAD {
                    if active[lane] && args.iter().any(|arg| x1k::is_less_zero(arg[lane])) {
                        (active[lane], self.alive[lane]) = (false, false);
                    }
                }
                return;
            }
            ref op => std::array::from_fn(|lane| {
                let args: Vec<u32> = args.iter().map(|arg| arg[lane]).collect();
                op.calculate(&args).expect("every other operation is calculated from its arguments")
            }),
        };
        self.set(inst.results[0], *active, bits);
    }
}
