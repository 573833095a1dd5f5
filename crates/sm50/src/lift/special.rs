//! Special registers, votes and shuffles.

use super::machine::LiftState;
use super::specialisation::LaunchEntry;
use crate::codes::{ShuffleMode, VoteMode};
use crate::field::key;
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::{Column, WARP};
use crate::operand::Reg;
use ctm_lane::{IntTest, QuadOrder, Value};

/// A SHFL that stays in quads, and does the same in all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct QuadShuffle {
    /// For each lane of a quad the lane whose value it gets.
    from: [u8; 4],
    /// Whether it names one that it can have; otherwise it gets its own.
    inside: [bool; 4],
}

impl QuadShuffle {
    /// What an instruction is, if its operands are immediates.
    fn of(instruction: &Instruction) -> Option<Self> {
        if !instruction.get(key::LANE_IS_IMM) || !instruction.get(key::CLAMP_IS_IMM) {
            return None;
        }
        let (b, c) = (u32::from(instruction.reg(key::RB).0), u32::from(instruction.get(key::CLAMP_IMM)));
        let source = |lane| shuffle_source(instruction.get(key::SHUFFLE_MODE), lane, b, c);
        let quad = |first: u32| {
            let sources: [Option<u32>; 4] = std::array::from_fn(|lane| source(first + lane as u32));
            let from = [0, 1, 2, 3].map(|lane| sources[lane as usize].unwrap_or(first + lane).wrapping_sub(first));
            let stays = from.iter().all(|&lane| lane < 4);
            stays.then(|| QuadShuffle { from: from.map(|lane| lane as u8), inside: sources.map(|from| from.is_some()) })
        };
        let first = quad(0)?;
        (4..WARP).step_by(4).all(|at| quad(at) == Some(first)).then_some(first)
    }
}

/// Whether a SHFL stays in quads, and does the same in all of them.
pub(super) fn stays_in_quads(instruction: &Instruction) -> bool {
    QuadShuffle::of(instruction).is_some()
}

/// The lane whose value a lane gets; `None` if that is out of range.
fn shuffle_source(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> Option<u32> {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let last = lane & segment | clamp & !segment;
    let (from, inside) = match mode {
        ShuffleMode::Idx => (lane & segment | b & !segment, (lane & segment | b & !segment) <= last),
        ShuffleMode::Up => (lane.wrapping_sub(b), lane.cast_signed() - b.cast_signed() >= last.cast_signed()),
        ShuffleMode::Down => (lane + b, lane + b <= last),
        ShuffleMode::Bfly => (lane ^ b, (lane ^ b) <= last),
    };
    inside.then_some(from)
}

impl LiftState<'_> {
    /// S2R and CS2R. Registers without a meaning here are for the reference, which warns of them; and the clock is.
    pub fn special_register(&mut self, instruction: &Instruction) {
        match self.special(instruction.get(key::SPECIAL)) {
            Some(value) => self.set_reg(instruction.dst(), value),
            None => self.trap(),
        }
    }

    fn special(&mut self, number: u8) -> Option<Value> {
        let specialisation = self.specialisation;
        let vertices = specialisation.primitive_vertices.unwrap_or(0);
        Some(match number {
            // LANEID
            0x00 => self.lane(),
            // PRIM_TYPE
            0x10 if matches!(specialisation.stage, Stage::TessellationInit | Stage::Tessellation) => {
                self.b.constant(vertices << 8)
            }
            // PRIM_TYPE elsewhere, WSCALEFACTOR_XY and _Z
            0x10 | 0x1E | 0x1F => self.b.constant(0),
            // THREAD_KILL
            0x13 => {
                let (helpers, all, zero) = (self.helpers(), self.b.constant(u32::MAX), self.b.constant(0));
                self.b.select(helpers, all, zero)
            }
            // INVOCATION_ID
            0x11 => self.column(Column::Invocation),
            // Y_DIRECTION
            0x12 => self.b.constant(specialisation.y_direction),
            // INVOCATION_INFO
            0x1D => {
                let (primitive, first) = (self.column(Column::Primitive), self.column(Column::FirstPrimitive));
                let primitive = self.b.isub(primitive, first);
                let (primitive, vertices) = (self.only(primitive, 0xFF), self.b.constant(vertices << 16));
                self.b.or(primitive, vertices)
            }
            // TID, NTID
            0x20 if specialisation.has_grid => {
                let [x, y, z] = self.thread();
                let (y, z) = (self.shifted_left(y, 16), self.shifted_left(z, 26));
                let xy = self.b.or(x, y);
                self.b.or(xy, z)
            }
            0x28 if specialisation.has_grid => self.launch_entry(LaunchEntry::BlockSize),
            // TID.X, .Y, .Z and CTAID.X, .Y, .Z
            0x21..=0x23 if specialisation.has_grid => self.thread()[usize::from(number - 0x21)],
            0x25..=0x27 if specialisation.has_grid => self.block()[usize::from(number - 0x25)],
            // EQMASK, LTMASK, LEMASK, GTMASK, GEMASK
            0x38..=0x3C => {
                let (one, lane) = (self.b.constant(1), self.lane());
                let own = self.b.shl(one, lane);
                let below = self.b.isub(own, one);
                match number {
                    0x38 => own,
                    0x39 => below,
                    0x3A => self.b.or(below, own),
                    0x3B => {
                        let at_most = self.b.or(below, own);
                        self.not(at_most)
                    }
                    _ => self.not(below),
                }
            }
            _ => return None,
        })
    }

    /// The number of the lane's thread in its block, and that of its block.
    pub fn thread_and_block(&mut self) -> (Value, Value) {
        let invocations = self.launch_entry(LaunchEntry::BlockInvocations);
        self.divided(self.number, invocations)
    }

    /// The rest and the quotient.
    fn divided(&mut self, number: Value, by: Value) -> (Value, Value) {
        let quotient = self.b.udiv(number, by);
        let whole = self.b.imul(quotient, by);
        (self.b.isub(number, whole), quotient)
    }

    /// The place of a number in a box of these sides.
    fn coordinates(&mut self, number: Value, [x, y]: [LaunchEntry; 2]) -> [Value; 3] {
        let [x, y] = [x, y].map(|entry| self.launch_entry(entry));
        let (x, rest) = self.divided(number, x);
        let (y, z) = self.divided(rest, y);
        [x, y, z]
    }

    /// Coordinates of the lane's thread in its block.
    fn thread(&mut self) -> [Value; 3] {
        let (thread, _) = self.thread_and_block();
        self.coordinates(thread, [LaunchEntry::BlockX, LaunchEntry::BlockY])
    }

    /// Coordinates of the lane's block.
    fn block(&mut self) -> [Value; 3] {
        let (_, block) = self.thread_and_block();
        self.coordinates(block, [LaunchEntry::GridX, LaunchEntry::GridY])
    }

    /// The number of the lane in its warp.
    pub(super) fn lane(&mut self) -> Value {
        self.only(self.number, WARP - 1)
    }

    /// VOTE.
    pub fn vote(&mut self, instruction: &Instruction) {
        self.depends = true;
        let voters = self.b.ballot(self.taken);
        let holds = self.pred(instruction.pred_c());
        let holds = self.b.mask_and(holds, self.taken);
        let ballot = self.b.ballot(holds);
        let (all, nobody) = (self.b.icmp(IntTest::Eq, ballot, voters), self.is_zero(ballot));
        let result = match instruction.get(key::VOTE_MODE) {
            VoteMode::All => all,
            VoteMode::Any => self.b.mask_not(nobody),
            VoteMode::Eq | VoteMode::Invalid => self.b.mask_or(all, nobody),
        };
        self.set_reg(instruction.dst(), ballot);
        self.set_pred(instruction.pred(key::PD), result);
    }

    /// SHFL.
    pub fn shuffle(&mut self, instruction: &Instruction) {
        if let Some(shuffle) = self.specialisation.pixels.as_ref().and_then(|_| QuadShuffle::of(instruction)) {
            return self.shuffle_quads(instruction, shuffle);
        }
        self.depends = true;
        let clamp_field = instruction.get(key::CLAMP_IMM);
        let b = if instruction.get(key::LANE_IS_IMM) {
            self.b.constant(instruction.reg(key::RB).0.into())
        } else {
            self.reg(instruction.reg(key::RB))
        };
        let c = if instruction.get(key::CLAMP_IS_IMM) {
            self.b.constant(clamp_field.into())
        } else {
            self.reg(Reg((clamp_field >> 5) as u8))
        };
        let (lane, b, clamp) = (self.lane(), self.only(b, 31), self.only(c, 31));
        let segment = self.shifted_right(c, 8);
        let segment = self.only(segment, 31);
        let outside = self.not(segment);
        let (of_lane, of_clamp) = (self.b.and(lane, segment), self.b.and(clamp, outside));
        let max = self.b.or(of_lane, of_clamp);
        let (from, inside) = match instruction.get(key::SHUFFLE_MODE) {
            ShuffleMode::Idx => {
                let of_b = self.b.and(b, outside);
                let from = self.b.or(of_lane, of_b);
                (from, self.b.icmp(IntTest::Ule, from, max))
            }
            ShuffleMode::Up => {
                let from = self.b.isub(lane, b);
                (from, self.b.icmp(IntTest::Sge, from, max))
            }
            ShuffleMode::Down => {
                let from = self.b.iadd(lane, b);
                (from, self.b.icmp(IntTest::Ule, from, max))
            }
            ShuffleMode::Bfly => {
                let from = self.b.xor(lane, b);
                (from, self.b.icmp(IntTest::Ule, from, max))
            }
        };
        let from = self.b.select(inside, from, lane);
        let value = self.reg(instruction.reg(key::RA));
        let mut value = self.b.shuffle(value, from);
        // Fragments take the values of lanes that do not take part, too.
        if self.specialisation.stage != Stage::Pixel {
            let takers = self.b.ballot(self.taken);
            let bit = self.b.shr(takers, from);
            let bit = self.only(bit, 1);
            let (absent, zero) = (self.is_zero(bit), self.b.constant(0));
            value = self.b.select(absent, zero, value);
        }
        self.set_reg(instruction.dst(), value);
        self.set_pred(instruction.pred(key::PD), inside);
    }

    /// SHFL of fragments, as derivatives have it.
    fn shuffle_quads(&mut self, instruction: &Instruction, shuffle: QuadShuffle) {
        self.uses_quads = true;
        let value = self.reg(instruction.reg(key::RA));
        let value = self.b.quad(QuadOrder(shuffle.from), value);
        let inside = self.quad_lanes(|lane| shuffle.inside[lane]);
        self.set_reg(instruction.dst(), value);
        self.set_pred(instruction.pred(key::PD), inside);
    }
}
