//! Operands as the machine reads them: one source vector, whose colours and alpha come from two addresses, a swizzle and a modifier.

use super::machine::{Operand, Source, Term, Web};
use super::place::{ALPHA, Places, Vector};
use ctm_x1k::{InputModifier, Presubtract, Swizzle, inline_constant};

const ZERO: u32 = 0;
const HALF: u32 = 0x3F00_0000;
const ONE: u32 = 0x3F80_0000;
const SIGN: u32 = 0x8000_0000;

/// What a source address names, before registers are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    Vector(Vector),
    Constant(u8),
    /// The constant with this number and aL.
    Relative(u8),
    Inline(u8),
}

/// The two addresses that a source vector needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Need {
    pub colour: Option<Address>,
    pub alpha: Option<Address>,
    /// It is what presubtract makes of the first two source vectors: of colours, and of alphas.
    pub presubtract: [Option<Presubtracted>; 2],
}

/// A presubtract operation with the addresses of sources 0 and 1.
pub(super) type Presubtracted = (Presubtract, Address, Option<Address>);

/// An operand of a unit with `N` channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arg<const N: usize> {
    pub need: Need,
    pub swizzle: [Swizzle; N],
    pub modifier: InputModifier,
}

/// Numbers that are neither swizzles nor inline constants: in constant registers after those of the program's user.
#[derive(Clone, Debug)]
pub(super) struct Literals {
    /// Registers that hold numbers already.
    known: Vec<usize>,
    /// The first of the others.
    first: usize,
    registers: Vec<[Option<u32>; 4]>,
    /// No two operands share a register: whether an instruction has space for its operands does not depend on what others need.
    distinct: bool,
}

/// The code of an inline constant.
fn inline(bits: u32) -> Option<u8> {
    (0..128).find(|&code| inline_constant(code).to_bits() == bits)
}

impl Literals {
    /// Numbers that registers hold already, and the register from which on others are taken.
    pub fn new(known: &[(u8, [u32; 4])], first: usize) -> Self {
        Literals {
            known: known.iter().map(|&(register, _)| register.into()).collect(),
            first,
            registers: known.iter().map(|(_, numbers)| numbers.map(Some)).collect(),
            distinct: false,
        }
    }

    /// Literals of which each has a register of its own, to see whether an instruction is possible whatever shares registers.
    pub fn distinct() -> Self {
        Literals { known: Vec::new(), first: 0, registers: Vec::new(), distinct: true }
    }

    /// The registers, with what is in their channels.
    pub fn registers(&self) -> impl Iterator<Item = (usize, &[Option<u32>; 4])> {
        self.registers.iter().enumerate().map(|(k, register)| (self.number(k), register))
    }

    /// The number of a register.
    fn number(&self, k: usize) -> usize {
        self.known.get(k).copied().unwrap_or_else(|| self.first + k - self.known.len())
    }

    /// How many constants there are with these and the user's.
    pub fn found(&self) -> usize {
        self.registers().map(|(register, _)| register + 1).max().unwrap_or(0)
    }

    fn register(&self, k: usize) -> Option<Address> {
        // No vector has such a number.
        if self.distinct {
            Some(Address::Vector(Vector::MAX - k))
        } else {
            u8::try_from(self.number(k)).ok().map(Address::Constant)
        }
    }

    /// A register that has these numbers in its colours, with the channel of each.
    fn colours(&mut self, wanted: &[u32]) -> Option<(Address, Vec<usize>)> {
        let fits = |register: &[Option<u32>; 4]| {
            let missing = wanted.iter().filter(|&&bits| !register[..ALPHA].contains(&Some(bits))).count();
            let free = register[..ALPHA].iter().filter(|channel| channel.is_none()).count();
            (missing <= free && !self.distinct).then_some(missing)
        };
        let candidates = self.registers.iter().enumerate().filter_map(|(k, register)| Some((fits(register)?, k)));
        let k = match candidates.min() {
            Some((_, k)) => k,
            None => {
                self.registers.push([None; 4]);
                self.registers.len() - 1
            }
        };
        let channels = wanted
            .iter()
            .map(|&bits| {
                let register = &mut self.registers[k];
                let found = (0..ALPHA).find(|&c| register[c] == Some(bits));
                let channel = found.or_else(|| (0..ALPHA).find(|&c| register[c].is_none()))?;
                register[channel] = Some(bits);
                Some(channel)
            })
            .collect::<Option<Vec<usize>>>()?;
        Some((self.register(k)?, channels))
    }

    /// A register that has a number in its alpha channel.
    fn alpha(&mut self, bits: u32) -> Option<Address> {
        let has = |wanted: Option<u32>| self.registers.iter().position(|register| register[ALPHA] == wanted);
        let k = match has(Some(bits)).or_else(|| has(None)).filter(|_| !self.distinct) {
            Some(k) => k,
            None => {
                self.registers.push([None; 4]);
                self.registers.len() - 1
            }
        };
        self.registers[k][ALPHA] = Some(bits);
        self.register(k)
    }
}

fn channel_swizzle(channel: usize) -> Swizzle {
    [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A][channel]
}

fn modifier(abs: bool, neg: bool) -> InputModifier {
    match (abs, neg) {
        (false, false) => InputModifier::None,
        (false, true) => InputModifier::Negate,
        (true, false) => InputModifier::Absolute,
        (true, true) => InputModifier::NegateAbsolute,
    }
}

/// The number that a modifier makes `bits` of.
fn before_modifier(abs: bool, neg: bool, bits: u32) -> Option<u32> {
    match (abs, neg) {
        (false, false) => Some(bits),
        (false, true) => Some(bits ^ SIGN),
        (true, _) => ((bits & SIGN != 0) == neg).then_some(bits & !SIGN),
    }
}

/// The operand that reads these scalars in its channels, if there is one. `place` says where webs lie; `sum`: it is one of a sum, where the sign of a zero is
/// all the same.
pub(super) fn arg<const N: usize>(
    lanes: &[Option<Operand>; N],
    sum: bool,
    place: &dyn Fn(Web) -> Option<(Vector, usize)>,
    literals: &mut Literals,
) -> Option<Arg<N>> {
    let mut modifiers: Option<(bool, bool)> = None;
    let mut need = Need::default();
    let mut swizzle = [Swizzle::Unused; N];
    let mut numbers: Vec<u32> = Vec::new();
    let mut presubtracted: Option<bool> = None;
    let join = |slot: &mut Option<Address>, address: Address| match *slot {
        Some(known) => known == address,
        None => {
            *slot = Some(address);
            true
        }
    };
    for (swizzle, operand) in swizzle.iter_mut().zip(lanes) {
        let Some(operand) = operand else { continue };
        if presubtracted
            .replace(matches!(operand.source, Source::Presubtract(..)))
            .is_some_and(|known| known != matches!(operand.source, Source::Presubtract(..)))
        {
            return None;
        }
        if let Source::Presubtract(kind, first, second) = operand.source {
            let at = |term: Term| match term {
                Term::Web(web) => place(web).map(|(vector, channel)| (Address::Vector(vector), channel)),
                Term::Uniform { register, channel } => Some((Address::Constant(register), channel.into())),
            };
            let (first, channel) = at(first)?;
            let (second, second_channel) = at(second)?;
            let two = matches!(kind, Presubtract::Sub | Presubtract::Add);
            if two && second_channel != channel {
                return None;
            }
            if *modifiers.get_or_insert((operand.abs, operand.neg)) != (operand.abs, operand.neg) {
                return None;
            }
            let wanted = (kind, first, two.then_some(second));
            if *need.presubtract[usize::from(channel == ALPHA)].get_or_insert(wanted) != wanted {
                return None;
            }
            *swizzle = channel_swizzle(channel);
            continue;
        }
        let (address, channel) = match operand.source {
            Source::Presubtract(..) => return None,
            Source::Number(bits) => {
                numbers.push(bits);
                continue;
            }
            Source::Web(web) => {
                let (vector, channel) = place(web)?;
                (Address::Vector(vector), channel)
            }
            Source::Uniform { register, channel } => (Address::Constant(register), channel.into()),
            Source::Relative { register, channel } => (Address::Relative(register), channel.into()),
        };
        if *modifiers.get_or_insert((operand.abs, operand.neg)) != (operand.abs, operand.neg) {
            return None;
        }
        let slot = if channel == ALPHA { &mut need.alpha } else { &mut need.colour };
        if !join(slot, address) {
            return None;
        }
        *swizzle = channel_swizzle(channel);
    }
    let all_negative = !numbers.is_empty() && numbers.iter().all(|bits| bits & SIGN != 0);
    let (abs, neg) = modifiers.unwrap_or((false, all_negative));
    let raw = |bits: u32| match bits & !SIGN {
        ZERO if sum => Some(ZERO),
        _ => before_modifier(abs, neg, bits),
    };
    let named = |bits: u32| match bits {
        ZERO => Some(Swizzle::Zero),
        HALF => Some(Swizzle::Half),
        ONE => Some(Swizzle::One),
        _ => None,
    };
    let mut others: Vec<u32> = Vec::new();
    for &bits in &numbers {
        let bits = raw(bits)?;
        if named(bits).is_none() && !others.contains(&bits) {
            others.push(bits);
        }
    }
    let mut found: Vec<Swizzle> = Vec::new();
    if !others.is_empty() && presubtracted == Some(true) {
        return None;
    }
    if let &[bits] = others.as_slice() {
        // One number: through the address that is free.
        let to_alpha = need.colour.is_some() || (N == 1 && need.alpha.is_none());
        if to_alpha && need.alpha.is_some() {
            return None;
        }
        let code = inline(bits);
        if to_alpha {
            need.alpha = Some(match code {
                Some(code) => Address::Inline(code),
                None => literals.alpha(bits)?,
            });
            found.push(Swizzle::A);
        } else if let Some(code) = code {
            need.colour = Some(Address::Inline(code));
            found.push(Swizzle::R);
        } else {
            let (register, channels) = literals.colours(&others)?;
            need.colour = Some(register);
            found.push(channel_swizzle(channels[0]));
        }
    } else if !others.is_empty() {
        if need.colour.is_some() || others.len() > ALPHA {
            return None;
        }
        let (register, channels) = literals.colours(&others)?;
        need.colour = Some(register);
        found.extend(channels.into_iter().map(channel_swizzle));
    }
    for (swizzle, operand) in swizzle.iter_mut().zip(lanes) {
        if let Some(Operand { source: Source::Number(bits), .. }) = operand {
            let bits = raw(*bits)?;
            let place = others.iter().position(|&other| other == bits);
            *swizzle = named(bits).or_else(|| place.map(|k| found[k]))?;
        }
    }
    Some(Arg { need, swizzle, modifier: modifier(abs, neg) })
}

/// Whether up to three scalars can be read as one operand of the colour unit. A web that lies nowhere yet can, if it is alone.
pub(super) fn readable(operands: &[Operand], places: &Places) -> bool {
    let mut open: Vec<Web> = operands.iter().filter_map(|operand| operand.as_web()).collect();
    open.retain(|&web| places.get(web).is_none());
    open.sort_unstable();
    open.dedup();
    if open.len() > 1 {
        return false;
    }
    let place = |web: Web| match places.get(web) {
        Some(place) => Some((place.vector, place.channel)),
        None => Some((Vector::MAX / 2, 0)),
    };
    let mut lanes = [None; 3];
    for (lane, operand) in lanes.iter_mut().zip(operands) {
        *lane = Some(*operand);
    }
    arg(&lanes, false, &place, &mut Literals::distinct()).is_some()
}
