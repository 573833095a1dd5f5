//! Fragments: inputs, quads, lanes that only help, and what is put out.
//!
//! Lanes are in whole quads: a window has as many around it as that takes.

use super::float::{Denormals, rounding};
use super::machine::LiftState;
use super::operand::SIGN;
use super::pixels::{INPUT_ENTRIES, InputKind, PRIMITIVE_WORDS, PixelArea, QUAD_WORDS};
use super::resume::ENDED;
use super::specialisation::{BufferBinding, LaunchEntry, TableBinding};
use crate::codes::{IpaMode, IpaPlace, PixelQuery};
use crate::field::{FieldId, key};
use crate::header::Interpolation;
use crate::instruction::Instruction;
use crate::launch::{FRONT_FACE, sample_offset};
use crate::operand::Reg;
use crate::table::FragmentOp;
use ctm_lane::{Bits, Denorm, IntTest, QuadOrder, Rounding, Type, Value, Variable, Zero};
use ctm_num::sm50::NAN;

/// Offsets count so many parts of a pixel.
const OFFSET_UNITS: f32 = 4096.0;

/// The lanes of fragments that differ from others.
pub(super) struct Fragments {
    /// Those that put nothing out: outside of the window, or killed.
    helpers: Variable,
    /// Those that have ended.
    ended: Variable,
    /// The number of the lane in its quad.
    lane: Value,
    /// Column and row of the pixel.
    column: Value,
    row: Value,
    /// The primitive of the quad.
    primitive: Value,
    /// The samples of the pixel that are covered.
    coverage: Value,
    /// The sample that the lane runs for.
    sample: Value,
}

impl LiftState<'_> {
    /// Gives lanes their numbers and pixels, and marks those that put nothing out.
    pub fn place_fragments(&mut self, area: &PixelArea, resumes: bool) {
        let (x, mut y) = (self.b.pos_x(), self.b.pos_y());
        if resumes {
            let first = self.launch_entry(LaunchEntry::FirstRowOfCall);
            y = self.b.iadd(first, y);
        }
        let [right, down] = [x, y].map(|position| self.only(position, 1));
        let down_bit = self.shifted_left(down, 1);
        let lane = self.b.or(down_bit, right);
        let is_window = match area {
            PixelArea::Window => true,
            PixelArea::Quads => false,
            PixelArea::Lines { .. } => return self.place_in_lines(lane),
        };
        let across = self.launch_entry(LaunchEntry::QuadsAcross);
        let [left, above] = [x, y].map(|position| self.shifted_right(position, 1));
        let first = self.b.imul(above, across);
        let quad = self.b.iadd(first, left);
        let first = self.shifted_left(quad, 2);
        self.number = self.b.or(first, lane);
        let count = self.launch_entry(LaunchEntry::Invocations);
        let exists = self.b.icmp(IntTest::Ult, self.number, count);
        self.live = self.b.mask_and(self.live, exists);
        let zero = self.b.constant(0);
        let ([column, row, primitive, coverage, sample], outside) = if is_window {
            let [width, height] =
                [LaunchEntry::WindowWidth, LaunchEntry::WindowHeight].map(|entry| self.launch_entry(entry));
            let beside = self.b.icmp(IntTest::Uge, x, width);
            let below = self.b.icmp(IntTest::Uge, y, height);
            let (outside, one) = (self.b.mask_or(beside, below), self.b.constant(1));
            ([x, y, zero, self.b.select(outside, zero, one), zero], outside)
        } else {
            let (buffer, first) = (self.buffer(BufferBinding::PixelQuads), self.shifted_left(quad, QUAD_WORDS.ilog2()));
            let [column, row, covered, primitive, samples, sample] = [0, 1, 2, 3, 4, 5].map(|word| {
                let dword = self.plus(first, word);
                let address = self.byte(dword);
                self.b.buffer_load(buffer, address, self.live)
            });
            let covered = self.b.shr(covered, lane);
            let covered = self.only(covered, 1);
            let outside = self.is_zero(covered);
            let byte = self.shifted_left(lane, 3);
            let coverage = self.b.shr(samples, byte);
            let coverage = self.only(coverage, 0xff);
            ([self.b.iadd(column, right), self.b.iadd(row, down), primitive, coverage, sample], outside)
        };
        let [helpers, ended] = [(); 2].map(|()| self.b.variable(Type::Mask));
        self.b.set(helpers, outside);
        self.fragments = Some(Fragments { helpers, ended, lane, column, row, primitive, coverage, sample });
    }

    /// Marks no lane: those of lines do not know where they are, and all put something out.
    fn place_in_lines(&mut self, lane: Value) {
        let (zero, none) = (self.b.constant(0), self.b.mask_constant(false));
        let [helpers, ended] = [(); 2].map(|()| self.b.variable(Type::Mask));
        self.b.set(helpers, none);
        let (column, row, primitive, coverage, sample) = (zero, zero, zero, zero, zero);
        self.fragments = Some(Fragments { helpers, ended, lane, column, row, primitive, coverage, sample });
    }

    fn is_in_lines(&self) -> bool {
        matches!(&self.specialisation.pixels, Some(pixels) if matches!(pixels.area, PixelArea::Lines { .. }))
    }

    /// The lanes with these numbers in their quads.
    pub fn quad_lanes(&mut self, is_in: impl Fn(usize) -> bool) -> Value {
        let lane = match self.fragments {
            Some(Fragments { lane, .. }) => lane,
            None => self.only(self.number, 3),
        };
        let (all, none) = (self.b.mask_constant(true), self.b.mask_constant(false));
        match [0, 1, 2, 3].map(&is_in) {
            [true, true, true, true] => all,
            lanes => (0..4).filter(|&n| lanes[n]).fold(none, |mask, n| {
                let n = self.b.constant(n as u32);
                let is = self.b.icmp(IntTest::Eq, lane, n);
                self.b.mask_or(mask, is)
            }),
        }
    }

    /// All lanes of the quads that have one of these.
    fn quads_of(&mut self, lanes: Value) -> Value {
        let (one, zero) = (self.b.constant(1), self.b.constant(0));
        let mut bit = self.b.select(lanes, one, zero);
        for order in [[1, 0, 3, 2], [2, 3, 0, 1]] {
            let other = self.b.quad(QuadOrder(order), bit);
            bit = self.b.or(bit, other);
        }
        self.b.icmp(IntTest::Ne, bit, zero)
    }

    /// Leaves the launch to the reference if a quad has some of these lanes, but not all.
    pub fn require_whole_quads(&mut self, lanes: Value) {
        let quads = self.quads_of(lanes);
        let missing = self.b.mask_andnot(quads, lanes);
        self.trap_in(missing);
    }

    /// The lanes that put nothing out.
    pub fn helpers(&mut self) -> Value {
        match self.fragments {
            Some(Fragments { helpers, .. }) => self.b.get(helpers),
            None => self.b.mask_constant(false),
        }
    }

    /// What [`Fragments`] says of lanes and may change.
    pub fn fragment_masks(&self) -> Option<[Variable; 2]> {
        self.fragments.as_ref().map(|fragments| [fragments.helpers, fragments.ended])
    }

    /// The lanes of these that store.
    pub fn without_helpers(&mut self, lanes: Value) -> Value {
        let helpers = self.helpers();
        self.b.mask_andnot(lanes, helpers)
    }

    /// The lanes of these that have not ended.
    pub fn without_dead(&mut self, lanes: Value) -> Value {
        match self.fragments {
            Some(Fragments { ended, .. }) => {
                let ended = self.b.get(ended);
                self.b.mask_andnot(lanes, ended)
            }
            None => lanes,
        }
    }

    /// KIL: lanes become helpers. Gives the lanes that end, those of quads in which nobody has anything left to put out.
    pub fn kill(&mut self, killed: Value, here: Value) -> Value {
        let Some(Fragments { helpers, .. }) = self.fragments else { return killed };
        let old = self.b.get(helpers);
        let now = self.b.mask_or(old, killed);
        self.b.set(helpers, now);
        if self.is_in_lines() {
            // They go on, as it does not matter what they put out.
            return self.b.mask_constant(false);
        }
        let alive = self.b.mask_andnot(self.live, now);
        let alive = self.without_dead(alive);
        let (here, alive) = (self.quads_of(here), self.quads_of(alive));
        let dead = self.b.mask_andnot(here, alive);
        let dead = self.b.mask_and(dead, self.live);
        self.end(dead);
        self.leave_at(ENDED, dead);
        dead
    }

    fn end(&mut self, lanes: Value) {
        if let Some(Fragments { ended, .. }) = self.fragments {
            let old = self.b.get(ended);
            let now = self.b.mask_or(old, lanes);
            self.b.set(ended, now);
        }
    }

    /// EXIT of fragments: outputs are in registers from R0 on.
    pub fn put_out(&mut self, lanes: Value) {
        if self.fragments.is_none() {
            return;
        }
        self.end(lanes);
        if self.put_out_lines(lanes) {
            return;
        }
        let kept = self.without_helpers(lanes);
        let registers = self.specialisation.header.pixel.output_registers();
        let (buffer, count) = (self.buffer(BufferBinding::PixelResults), self.launch_entry(LaunchEntry::Invocations));
        for column in 0..=registers {
            let value = match column.checked_sub(1) {
                None => self.b.constant(1),
                Some(register) => self.output_register(register),
            };
            let column = self.b.constant(column);
            let first = self.b.imul(count, column);
            let dword = self.b.iadd(first, self.number);
            let place = self.byte(dword);
            self.b.buffer_store(buffer, place, value, kept);
        }
    }

    /// A register that is put out.
    pub fn output_register(&mut self, number: u32) -> Value {
        self.reg(Reg(number.min(254) as u8))
    }

    pub fn fragment(&mut self, op: FragmentOp, instruction: &Instruction) {
        match op {
            FragmentOp::Ipa => self.input(instruction),
            FragmentOp::Pixld => self.pixel(instruction),
            FragmentOp::Fswzadd => self.swizzled_sum(instruction),
        }
    }

    /// IPA. Addresses in registers are for the reference.
    fn input(&mut self, instruction: &Instruction) {
        if self.fragments.is_none() || instruction.get(key::IDX) {
            return self.trap();
        }
        let address = instruction.get(key::OFFSET) & 0x3fc;
        let is_read =
            address == FRONT_FACE || self.specialisation.header.pixel.interpolation(address) != Interpolation::Unused;
        let is_flat = self.specialisation.pixels.as_ref().is_some_and(|pixels| pixels.is_flat);
        let mode = match instruction.get(key::IPA_MODE) {
            IpaMode::Sc if is_flat => IpaMode::Constant,
            mode @ (IpaMode::Pass | IpaMode::Multiply | IpaMode::Constant | IpaMode::Sc) => mode,
        };
        let value = match mode {
            _ if !is_read => self.b.constant(0),
            IpaMode::Constant => self.provoking(address),
            IpaMode::Pass | IpaMode::Multiply | IpaMode::Sc => self.input_value(instruction, address),
        };
        let factor = instruction.reg(key::RB);
        let result = match mode {
            IpaMode::Constant => value,
            IpaMode::Pass => self.saturated(instruction, value),
            IpaMode::Sc if factor.is_zero() => self.saturated(instruction, value),
            IpaMode::Multiply | IpaMode::Sc => {
                let factor = self.reg(factor);
                let [a, b] = [value, factor].map(|bits| self.flushed(Denormals::Flush, bits));
                let product = self.b.fmul_rounded(Rounding::Even, a, b);
                let product = self.settled(Denormals::Flush, product);
                self.saturated(instruction, product)
            }
        };
        self.set_reg(instruction.dst(), result);
    }

    /// An input where the instruction says.
    fn input_value(&mut self, instruction: &Instruction, address: u32) -> Value {
        let Some(Fragments { column, row, .. }) = self.fragments else { return self.b.constant(0) };
        let offset = (instruction.get(key::IPA_PLACE) == IpaPlace::Offset).then(|| self.pixel_offset(instruction));
        let half = self.b.float_constant(0.5);
        let mut place = [column, row].map(|position| {
            let corner = self.b.utof(position);
            self.b.fadd(Denorm::Keep, corner, half)
        });
        if let Some(offset) = offset {
            place = [0, 1].map(|axis| self.b.fadd(Denorm::Keep, place[axis], offset[axis]));
        }
        match self.input_at(address) {
            None => self.b.constant(0),
            Some((_, InputKind::Lines { value, .. })) => self.line_input(value),
            Some((at, InputKind::Constant)) => self.input_entry(at, 0),
            Some((at, InputKind::Plane)) => {
                let [origin, dx, dy] = [0, 1, 2].map(|entry| self.input_entry(at, entry));
                self.on_plane(origin, place, [dx, dy])
            }
            Some((_, InputKind::Values(list))) => {
                let place = place.map(|position| self.b.ftou(position));
                self.listed(list, place)
            }
            Some((_, InputKind::Primitives { centroids: Some(list), .. }))
                if instruction.get(key::IPA_PLACE) == IpaPlace::Centroid =>
            {
                self.of_invocation(list)
            }
            Some((_, InputKind::Primitives { list, .. })) => {
                let centre = self.of_invocation(list);
                let Some(offset) = offset else { return centre };
                let [dx, dy] = [0, 1].map(|word| self.of_primitive(list, word));
                let value = self.on_plane(centre, offset, [dx, dy]);
                let either = self.b.or(offset[0], offset[1]);
                let is_centre = self.is_zero(either);
                self.b.select(is_centre, centre, value)
            }
        }
    }

    /// How far from the centre of its pixel an instruction with an offset looks.
    fn pixel_offset(&mut self, instruction: &Instruction) -> [Value; 2] {
        let (offset, unit) = (self.reg(instruction.reg(key::RC)), self.b.float_constant(1.0 / OFFSET_UNITS));
        let sixteen = self.b.constant(16);
        let across = self.b.shl(offset, sixteen);
        [across, offset].map(|part| {
            let part = self.b.sar(part, sixteen);
            let part = self.b.itof(part);
            self.b.fmul(Denorm::Keep, Zero::Ieee, part, unit)
        })
    }

    /// The value of a plane.
    fn on_plane(&mut self, origin: Value, place: [Value; 2], slopes: [Value; 2]) -> Value {
        let [right, down] = [0, 1].map(|axis| self.b.fmul(Denorm::Keep, Zero::Ieee, place[axis], slopes[axis]));
        let way = self.b.fadd(Denorm::Keep, right, down);
        let value = self.b.fadd(Denorm::Keep, origin, way);
        self.b.canon_nan(Bits(NAN), value)
    }

    /// The provoking vertex' value of an input.
    fn provoking(&mut self, address: u32) -> Value {
        match (self.input_at(address), &self.fragments) {
            (Some((at, InputKind::Constant | InputKind::Plane)), _) => self.input_entry(at, 0),
            (Some((_, InputKind::Values(list))), &Some(Fragments { column, row, .. })) => {
                self.listed(list, [column, row])
            }
            (Some((_, InputKind::Primitives { list, .. })), _) => self.of_primitive(list, 2),
            (Some((_, InputKind::Lines { provoking, .. })), _) => self.line_input(provoking),
            (None | Some((_, InputKind::Values(_))), _) => self.b.constant(0),
        }
    }

    /// The value of a list for the lane's invocation.
    fn of_invocation(&mut self, list: u32) -> Value {
        let (count, list) = (self.launch_entry(LaunchEntry::Invocations), self.b.constant(list));
        let first = self.b.imul(count, list);
        let dword = self.b.iadd(first, self.number);
        let (buffer, address) = (self.buffer(BufferBinding::PixelValues), self.byte(dword));
        self.b.buffer_load(buffer, address, self.live)
    }

    /// A word of a list for the primitive of the lane's quad.
    fn of_primitive(&mut self, list: u32, word: u32) -> Value {
        let Some(Fragments { primitive, .. }) = self.fragments else { return self.b.constant(0) };
        let (count, list) = (self.launch_entry(LaunchEntry::Primitives), self.b.constant(list));
        let first = self.b.imul(count, list);
        let number = self.b.iadd(first, primitive);
        let first = self.shifted_left(number, PRIMITIVE_WORDS.ilog2());
        let dword = self.plus(first, word);
        let (buffer, address) = (self.buffer(BufferBinding::PrimitiveValues), self.byte(dword));
        self.b.buffer_load(buffer, address, self.live)
    }

    /// The number of the input at an address, and what it is.
    fn input_at(&self, address: u32) -> Option<(u32, InputKind)> {
        let inputs = &self.specialisation.pixels.as_ref()?.inputs;
        let at = inputs.iter().position(|&(known, _)| known == address)?;
        Some((at as u32, inputs[at].1))
    }

    fn input_entry(&mut self, input: u32, entry: u32) -> Value {
        let entries = self.specialisation.pixels.as_ref().map_or(1, |pixels| pixels.entries());
        let table = self.table(TableBinding::PixelInputs, entries);
        self.b.table_splat(table, INPUT_ENTRIES * input + entry)
    }

    /// A value of a list at a place in the window; outside, that of the border.
    fn listed(&mut self, list: u32, place: [Value; 2]) -> Value {
        // The quads of primitives have no such lists.
        if self.specialisation.pixels.as_ref().is_none_or(|pixels| pixels.area != PixelArea::Window) {
            return self.b.constant(0);
        }
        let sizes = [LaunchEntry::WindowWidth, LaunchEntry::WindowHeight].map(|entry| self.launch_entry(entry));
        let [width, height] = sizes;
        let mut inside = place;
        for (position, size) in inside.iter_mut().zip(sizes) {
            let last = self.plus(size, u32::MAX);
            *position = self.b.umin(*position, last);
        }
        let list = self.b.constant(list);
        let rows = self.b.imul(height, list);
        let row = self.b.iadd(rows, inside[1]);
        let row = self.b.imul(row, width);
        let dword = self.b.iadd(row, inside[0]);
        let (buffer, address) = (self.buffer(BufferBinding::PixelValues), self.byte(dword));
        self.b.buffer_load(buffer, address, self.live)
    }

    /// PIXLD.
    fn pixel(&mut self, instruction: &Instruction) {
        let Some(Fragments { coverage, sample, .. }) = self.fragments else { return self.trap() };
        let samples = self.specialisation.pixels.as_ref().map_or(1, |pixels| pixels.samples);
        let index = self.reg(instruction.reg(key::RA));
        let index = self.plus(index, instruction.signed(FieldId::OFFSET).cast_unsigned());
        let (zero, count) = (self.b.constant(0), self.b.constant(samples));
        let exists = self.b.icmp(IntTest::Ult, index, count);
        let helpers = self.helpers();
        let coverage = self.b.select(helpers, zero, coverage);
        let result = match instruction.get(key::PIXEL_QUERY) {
            PixelQuery::Count => count,
            PixelQuery::CovMask => coverage,
            PixelQuery::Covered => {
                let bit = self.b.shr(coverage, index);
                let bit = self.only(bit, 1);
                self.b.select(exists, bit, zero)
            }
            PixelQuery::Offset => (0..samples).fold(zero, |offset, number| {
                let (value, number) = (self.b.constant(sample_offset(samples, number)), self.b.constant(number));
                let is_it = self.b.icmp(IntTest::Eq, index, number);
                self.b.select(is_it, value, offset)
            }),
            PixelQuery::CentroidOffset => self.centroid_offset(coverage, samples),
            PixelQuery::MyIndex => sample,
            PixelQuery::Invalid6 | PixelQuery::Invalid7 => return self.trap(),
        };
        self.set_reg(instruction.dst(), result);
        self.set_pred(instruction.pred(key::PD), exists);
    }

    /// How far the lowest sample that is covered is from the centre; 0 if all are, or none is.
    fn centroid_offset(&mut self, coverage: Value, samples: u32) -> Value {
        let zero = self.b.constant(0);
        let lowest = (0..samples).rev().fold(zero, |offset, number| {
            let (value, bit) = (self.b.constant(sample_offset(samples, number)), self.only(coverage, 1 << number));
            let is_missing = self.is_zero(bit);
            self.b.select(is_missing, offset, value)
        });
        let all = self.b.constant((1 << samples) - 1);
        let is_whole = self.b.icmp(IntTest::Eq, coverage, all);
        self.b.select(is_whole, zero, lowest)
    }

    /// FSWZADD: each lane of a quad adds with signs of its own.
    fn swizzled_sum(&mut self, instruction: &Instruction) {
        let (a, b) = (self.reg(instruction.reg(key::RA)), self.reg(instruction.reg(key::RB)));
        let swizzle = instruction.get(key::SWIZZLE);
        let code = |lane: usize| swizzle >> (6 - 2 * lane) & 3;
        let denormals = if instruction.get(key::FTZ) { Denormals::Flush } else { Denormals::Keep };
        let sign = self.b.constant(SIGN);
        let signed = [(a, 1), (b, 2)].map(|(operand, negates)| {
            let negative = self.quad_lanes(|lane| code(lane) == negates);
            let opposite = self.b.xor(operand, sign);
            let operand = self.b.select(negative, opposite, operand);
            self.flushed(denormals, operand)
        });
        let sum = self.b.fadd_rounded(rounding(instruction.get(key::ROUND)), signed[0], signed[1]);
        let sum = self.settled(denormals, sum);
        let passes = self.quad_lanes(|lane| code(lane) == 3);
        let result = self.b.select(passes, b, sum);
        self.set_flags(instruction, |m| m.float_flags(result));
        self.set_reg(instruction.dst(), result);
    }
}
