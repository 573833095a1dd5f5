//! The variables of a shader's source, for a debugger's session: those that its program keeps in registers, and its uniforms.

use crate::compiled::{self, LocationSource};
use crate::front::{Interface, Uniform, UniformKind};
use crate::ir::Reading;
use ctm_debug::{Location, Origin, Test, Variable};
use ctm_follow::Cell;
use ctm_x1k::Constants;

/// All of them, where the constants of the run have their values; `cells` are those of the session.
pub fn session_variables(
    compiled: &[compiled::Variable],
    interface: &Interface,
    constants: &Constants,
    cells: &[Cell],
) -> Vec<Variable> {
    let of_source = compiled.iter().map(|variable| Variable {
        name: variable.part.name.clone(),
        channel: variable.part.channel,
        is_truth: variable.part.kind == UniformKind::Bool,
        lines: variable.part.lines.clone(),
        places: variable
            .places
            .iter()
            .filter_map(|(rows, location)| {
                let rows = rows.start as usize..rows.end as usize;
                Some((rows, located(location, constants, cells)?))
            })
            .collect(),
    });
    let uniforms = interface.uniforms.iter().flat_map(|uniform| parts(uniform, constants));
    of_source.chain(uniforms).collect()
}

/// A place of the program as the session has it.
fn located(location: &compiled::Location, constants: &Constants, cells: &[Cell]) -> Option<Location> {
    let origin = match location.source {
        LocationSource::Number(bits) => Origin::Bits(bits),
        LocationSource::Constant { register, channel } => {
            Origin::Bits(constants.floats[usize::from(register)][usize::from(channel)])
        }
        LocationSource::Register { register, channel } => {
            let channel = "rgba".chars().nth(channel.into());
            let is_it = |cell: &Cell| {
                cell.pattern == "temp[#]" && cell.number == u16::from(register) && cell.channel == channel
            };
            Origin::Cell(cells.iter().position(is_it)?)
        }
    };
    let test = match location.reading {
        Reading::Plain => None,
        Reading::NonNegative { inverted: false } => Some(Test::NonNegative),
        Reading::NonNegative { inverted: true } => Some(Test::Negative),
        Reading::Zero { inverted: false } => Some(Test::Zero),
        Reading::Zero { inverted: true } => Some(Test::NotZero),
    };
    Some(Location { origin, absolute: location.absolute, negative: location.negative, test })
}

/// The numbers of a uniform, which mean the same everywhere.
fn parts(uniform: &Uniform, constants: &Constants) -> Vec<Variable> {
    let columns = usize::from(uniform.columns);
    let count = uniform.elements.unwrap_or(1) as usize * columns;
    let mut parts = Vec::new();
    for place in 0..count {
        let mut name = uniform.name.clone();
        if uniform.elements.is_some() {
            name += &format!("[{}]", place / columns);
        }
        if columns > 1 {
            name += &format!("[{}]", place % columns);
        }
        for row in 0..usize::from(uniform.rows) {
            let register = usize::from(uniform.place.register) + place;
            let bits = constants.floats[register][usize::from(uniform.place.channel) + row];
            let is_truth = uniform.kind == UniformKind::Bool;
            let location = Location { test: is_truth.then_some(Test::NotZero), ..Location::bits(bits) };
            parts.push(Variable {
                name: name.clone(),
                channel: "xyzw".chars().nth(row).filter(|_| uniform.rows > 1),
                is_truth,
                lines: 0..=u32::MAX,
                places: vec![(0..usize::MAX, location)],
            });
        }
    }
    parts
}
