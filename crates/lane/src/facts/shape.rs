//! Shapes: how a value varies over the lanes of a group.
//!
//! Engines read surfaces by vectors where the coordinates of neighbouring lanes are neighbours, and once for all lanes
//! where they are the same. Guests may compute coordinates as floats; positions are small integers, so the sum of a
//! position and a constant with few fraction bits is exact.

use crate::effort::{Effort, Patience};
use crate::entity::{Block, Type, Value};
use crate::function::Function;
use crate::graph::Graph;
use crate::op::Op;

/// A coordinate of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
}

/// How a lane or mask value varies over the lanes of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaneShape {
    /// The same in every lane.
    Uniform,
    /// The integer clamp(position + offset, 0, limit - 1), without clamp when there is no limit.
    Index {
        /// Which coordinate of the position.
        axis: Axis,
        /// What is added.
        offset: i32,
        /// Number of elements in this direction.
        limit: Option<u32>,
    },
    /// The float position + offset, exactly; the offset is a multiple of 1/64.
    Coordinate {
        /// Which coordinate of the position.
        axis: Axis,
        /// What is added.
        offset: f32,
    },
    /// Likely the position plus something uniform, but for rounding and clamps. Only a hint: who relies on it has to check
    /// the lanes.
    Along(Axis),
    /// Anything.
    Varying,
}

impl LaneShape {
    fn axis(self) -> Option<Axis> {
        match self {
            Self::Index { axis, .. } | Self::Coordinate { axis, .. } | Self::Along(axis) => Some(axis),
            Self::Uniform | Self::Varying => None,
        }
    }

    fn join(self, other: Self) -> Self {
        match (self.axis(), other.axis()) {
            _ if self == other => self,
            (Some(a), Some(b)) if a == b => Self::Along(a),
            _ => Self::Varying,
        }
    }
}

/// The shape of every lane and mask value of a function.
#[derive(Clone, Debug)]
pub struct LaneShapes {
    shapes: Vec<Option<LaneShape>>,
    /// Values that may differ between lanes of a row.
    varies: Vec<bool>,
}

impl LaneShapes {
    /// Looks at a function that passes the verifier.
    pub fn new(function: &Function, graph: &Graph) -> Self {
        Self::within(function, graph, &Effort::default().patience(function))
    }

    /// The same. Where that takes too long, nothing is known.
    pub(crate) fn within(function: &Function, graph: &Graph, patience: &Patience) -> Self {
        let unknown =
            || Self { shapes: vec![None; function.value_count()], varies: vec![false; function.value_count()] };
        let mut shapes = unknown();
        // Shapes only grow, at most twice each, so this ends.
        let visit = |shapes: &mut Self, block| shapes.visit(function, graph, block);
        let enter = |shapes: &mut Self, head| shapes.enter(function, graph, head);
        if graph.visit_until_settled(function, &mut shapes, visit, enter, patience) { shapes } else { unknown() }
    }

    fn visit(&mut self, function: &Function, graph: &Graph, block: Block) {
        self.enter(function, graph, block);
        for &inst in function.insts(block) {
            let (op, args) = (function.op(inst), function.args(inst));
            let results = function.results(inst).filter(|&value| function.value_type(value) != Type::Uniform);
            for result in results {
                self.shapes[result.index()] = Some(self.of_op(function, op, args));
                self.varies[result.index()] = varies_itself(op) || self.any_varies(args);
            }
        }
    }

    fn enter(&mut self, function: &Function, graph: &Graph, block: Block) -> bool {
        if function.params(block).is_empty() {
            return false;
        }
        let mut changed = false;
        let edges = graph.edges(function, block);
        for (number, &param) in function.params(block).iter().enumerate() {
            let args = edges.iter().map(|edge| edge.args[number]);
            let incoming = args.filter_map(|arg| self.shapes[arg.index()]).reduce(LaneShape::join);
            let old = self.shapes[param.index()];
            let new = match (old, incoming) {
                (Some(old), Some(new)) => Some(old.join(new)),
                (old, new) => old.or(new),
            };
            changed |= new != old;
            self.shapes[param.index()] = new;
            if !self.varies[param.index()] && edges.iter().any(|edge| self.any_varies(&[edge.args[number]])) {
                self.varies[param.index()] = true;
                changed = true;
            }
        }
        changed
    }

    fn any_varies(&self, values: &[Value]) -> bool {
        values.iter().any(|value| self.varies[value.index()])
    }

    /// The shape of a lane or mask value.
    pub fn get(&self, value: Value) -> LaneShape {
        self.shapes.get(value.index()).copied().flatten().unwrap_or(LaneShape::Varying)
    }

    /// Whether the value is the same in every lane.
    pub fn is_uniform(&self, value: Value) -> bool {
        self.get(value) == LaneShape::Uniform
    }

    /// Whether the value is the same in all lanes of a row: it depends on nothing of the position but its row.
    pub fn is_same_in_rows(&self, value: Value) -> bool {
        self.is_uniform(value)
            || self.shapes.get(value.index()).is_some_and(Option::is_some) && !self.any_varies(&[value])
    }

    /// The shape, with values that no round has reached yet taken as uniform.
    fn hoped(&self, function: &Function, value: Value) -> LaneShape {
        match function.value_type(value) {
            Type::Uniform => LaneShape::Uniform,
            _ => self.shapes[value.index()].unwrap_or(LaneShape::Uniform),
        }
    }

    fn of_op(&self, function: &Function, op: &Op, args: &[Value]) -> LaneShape {
        let arg = |at: usize| self.hoped(function, args[at]);
        let float = |at: usize| function.lane_constant(args[at]).map(f32::from_bits);
        match *op {
            Op::PosX {} => LaneShape::Index { axis: Axis::X, offset: 0, limit: None },
            Op::PosY {} => LaneShape::Index { axis: Axis::Y, offset: 0, limit: None },
            Op::Covered {}
            | Op::ArrayRead { .. }
            | Op::ArrayGather { .. }
            | Op::MaskArrayRead { .. }
            | Op::SurfaceTest { .. } => LaneShape::Varying,
            Op::CanonNan { .. } => as_float(arg(0)),
            Op::Itof {} => match arg(0) {
                LaneShape::Index { axis, offset, limit: None } => coordinate(axis, offset as f32),
                other => blurred(&[other]),
            },
            Op::Utof {} => match arg(0) {
                // What is negative as a signed integer is a great number here.
                LaneShape::Index { axis, offset, limit: None } if offset >= 0 => coordinate(axis, offset as f32),
                other => blurred(&[other]),
            },
            Op::Iadd {} => shifted(arg(0), arg(1), function.lane_constant(args[1]))
                .or_else(|| shifted(arg(1), arg(0), function.lane_constant(args[0])))
                .unwrap_or_else(|| blurred(&[arg(0), arg(1)])),
            Op::Fadd { .. } => moved(arg(0), arg(1), float(1), 1.0)
                .or_else(|| moved(arg(1), arg(0), float(0), 1.0))
                .unwrap_or_else(|| blurred(&[arg(0), arg(1)])),
            Op::Fsub { .. } => moved(arg(0), arg(1), float(1), -1.0).unwrap_or_else(|| blurred(&[arg(0), arg(1)])),
            Op::Fmul { .. } if float(1) == Some(1.0) => as_float(arg(0)),
            Op::Fmul { .. } if float(0) == Some(1.0) => as_float(arg(1)),
            Op::Fma { .. } if float(1) == Some(1.0) => {
                moved(arg(0), arg(2), float(2), 1.0).unwrap_or_else(|| blurred(&[arg(0), arg(2)]))
            }
            Op::Fma { .. } => match (arg(0), arg(1)) {
                (LaneShape::Uniform, LaneShape::Uniform) => {
                    let product = float(0).zip(float(1)).and_then(|(a, b)| exact_product(a, b));
                    moved(arg(2), LaneShape::Uniform, product, 1.0).unwrap_or_else(|| blurred(&[arg(2)]))
                }
                _ => LaneShape::Varying,
            },
            Op::FloatToIndex { limit } => match arg(0) {
                LaneShape::Coordinate { axis, offset } => {
                    LaneShape::Index { axis, offset: offset.floor() as i32, limit: Some(limit.max(1)) }
                }
                other => blurred(&[other]),
            },
            Op::FloatToCoordinate {} => match arg(0) {
                LaneShape::Coordinate { axis, offset } => {
                    LaneShape::Index { axis, offset: offset.floor() as i32, limit: None }
                }
                other => blurred(&[other]),
            },
            Op::Fround { .. } => blurred(&[arg(0)]),
            Op::Select {} => match (arg(0), arg(1), arg(2)) {
                (LaneShape::Uniform, a, b) => a.join(b),
                (_, a, b) => {
                    a.axis().filter(|&axis| b.axis() == Some(axis)).map_or(LaneShape::Varying, LaneShape::Along)
                }
            },
            _ if (0..args.len()).all(|at| arg(at) == LaneShape::Uniform) => LaneShape::Uniform,
            _ => LaneShape::Varying,
        }
    }
}

/// Whether an operation may give lanes of a row different results for operands that are the same in them.
fn varies_itself(op: &Op) -> bool {
    matches!(
        op,
        Op::PosX {}
            | Op::Covered {}
            | Op::ArrayRead { .. }
            | Op::ArrayGather { .. }
            | Op::MaskArrayRead { .. }
            | Op::SurfaceTest { .. }
            | Op::Quad { .. }
            | Op::Ballot {}
            | Op::Shuffle {}
    )
}

/// The largest offset: with positions below 2^16, sums stay below 2^17, which leaves 6 bits for fractions.
const MAX_OFFSET: f32 = 65_536.0;

/// The exact float position + offset, where it is exact.
fn coordinate(axis: Axis, offset: f32) -> LaneShape {
    let exact = offset.abs() <= MAX_OFFSET && (offset * 64.0).fract() == 0.0;
    if exact { LaneShape::Coordinate { axis, offset } } else { LaneShape::Along(axis) }
}

/// a + sign * b with an exact coordinate a and a constant b; `None` if it is something else.
fn moved(a: LaneShape, b: LaneShape, constant: Option<f32>, sign: f32) -> Option<LaneShape> {
    match (a, b, constant) {
        (LaneShape::Coordinate { axis, offset }, LaneShape::Uniform, Some(constant)) => {
            Some(coordinate(axis, offset + sign * constant))
        }
        _ => None,
    }
}

/// The product, if it needs no rounding.
fn exact_product(a: f32, b: f32) -> Option<f32> {
    (f64::from(a) * f64::from(b) == f64::from(a * b)).then_some(a * b)
}

/// The same number after an operation that leaves ordinary floats alone. (Integers may be denormals or NaNs.)
fn as_float(a: LaneShape) -> LaneShape {
    match a {
        LaneShape::Coordinate { .. } => a,
        other => blurred(&[other]),
    }
}

/// The sum of two integers, the second with this constant value. Large offsets are left alone, so that nothing wraps.
fn shifted(a: LaneShape, b: LaneShape, constant: Option<u32>) -> Option<LaneShape> {
    match (a, b, constant) {
        (LaneShape::Index { axis, offset, limit: None }, LaneShape::Uniform, Some(constant)) => {
            let offset = offset.checked_add(constant.cast_signed())?;
            (offset.unsigned_abs() <= 1 << 20).then_some(LaneShape::Index { axis, offset, limit: None })
        }
        _ => None,
    }
}

/// A sum of these, perhaps rounded or clamped: along an axis if exactly one of them is, and the others are uniform.
fn blurred(parts: &[LaneShape]) -> LaneShape {
    let mut along = LaneShape::Uniform;
    for part in parts {
        along = match (along, part.axis(), part) {
            (_, _, LaneShape::Uniform) => along,
            (LaneShape::Uniform, Some(axis), _) => LaneShape::Along(axis),
            _ => return LaneShape::Varying,
        };
    }
    along
}
