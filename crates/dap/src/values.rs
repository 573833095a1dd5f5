//! Registers and memory as variables.

use ctm_debug::{Register, Session, Value, WriteTarget};
use serde_json::{Value as Json, json};

/// Lanes that references tell apart: more than a group has.
const LANES: u64 = 1 << 12;

/// What a reference of variables stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The variables of the source in a lane.
    Variables(usize),
    /// The channels of one of them.
    Parts(usize, usize),
    /// The registers of a lane.
    Registers(usize),
    /// What a lane has in outputs.
    Outputs(usize),
    /// All lanes of the group.
    Lanes,
    /// The channels of a register of a lane.
    Channels(usize, usize),
}

impl Reference {
    /// The number that a client gets.
    pub fn number(self) -> u64 {
        match self {
            Reference::Lanes => 1,
            Reference::Registers(lane) => 2 + 4 * lane as u64,
            Reference::Outputs(lane) => 3 + 4 * lane as u64,
            Reference::Variables(lane) => 4 + 4 * lane as u64,
            // Even are the channels of registers, odd those of variables.
            Reference::Channels(lane, register) => 4 * LANES + 4 + 2 * register as u64 * LANES + lane as u64,
            Reference::Parts(lane, variable) => 4 * LANES + 4 + (2 * variable as u64 + 1) * LANES + lane as u64,
        }
    }

    /// What the number of a client stands for.
    pub fn of(number: u64) -> Option<Self> {
        match number {
            0 => None,
            1 => Some(Reference::Lanes),
            _ if number >= 4 * LANES + 4 => {
                let number = number - 4 * LANES - 4;
                let (lane, place) = ((number % LANES) as usize, (number / LANES) as usize);
                Some(match place % 2 {
                    0 => Reference::Channels(lane, place / 2),
                    _ => Reference::Parts(lane, place / 2),
                })
            }
            _ if number % 4 == 2 => Some(Reference::Registers((number / 4) as usize)),
            _ if number % 4 == 3 => Some(Reference::Outputs((number / 4) as usize)),
            _ if number.is_multiple_of(4) => Some(Reference::Variables((number / 4 - 1) as usize)),
            _ => None,
        }
    }
}

/// A value as people read it.
pub fn text(value: &Value, hexadecimal: bool) -> String {
    match value.kind {
        "absent" => "optimised away".into(),
        _ if hexadecimal => format!("{:#010x}", value.bits),
        "float" => format!("{} ({:#010x})", value.text(), value.bits),
        "word" => format!("{:#010x} ({}, {:?})", value.bits, value.bits.cast_signed(), f32::from_bits(value.bits)),
        _ => value.text(),
    }
}

fn channel_name(name: &str, value: &Value) -> String {
    value.channel.map_or(name.to_owned(), |channel| format!("{name}.{channel}"))
}

fn leaf(name: String, path: String, value: &Value, hexadecimal: bool) -> Json {
    json!({
        "name": name,
        "value": text(value, hexadecimal),
        "type": value.kind,
        "evaluateName": path,
        "variablesReference": 0,
    })
}

/// Registers, or variables of the source: those of several channels can be opened.
fn all_of(registers: &[Register], hexadecimal: bool, channels: impl Fn(usize) -> Reference) -> Vec<Json> {
    let variable = |(number, register): (usize, &Register)| match &register.values[..] {
        [value] if value.channel.is_none() => leaf(register.name.clone(), register.name.clone(), value, hexadecimal),
        values => {
            let all: Vec<String> =
                values.iter().map(|value| if hexadecimal { text(value, true) } else { value.text() }).collect();
            json!({
                "name": register.name,
                "value": all.join(", "),
                "variablesReference": channels(number).number(),
                "namedVariables": values.len(),
            })
        }
    };
    registers.iter().enumerate().map(variable).collect()
}

/// The channels of one of them.
fn channels_of(register: Option<&Register>, hexadecimal: bool) -> Vec<Json> {
    let Some(register) = register else { return Vec::new() };
    let channel = |value: &Value| {
        let name = value.channel.map_or(register.name.clone(), String::from);
        leaf(name, channel_name(&register.name, value), value, hexadecimal)
    };
    register.values.iter().map(channel).collect()
}

/// The variables of a reference.
pub fn variables(session: &Session, reference: Reference, hexadecimal: bool) -> Vec<Json> {
    match reference {
        Reference::Lanes => {
            let lane = |lane: &ctm_debug::LaneSnapshot| {
                let value = if lane.executes { "executes" } else { lane.standing };
                let value = if lane.runs { value } else { "does not run" };
                json!({"name": format!("({}, {})", lane.i, lane.j), "value": value, "variablesReference": 0})
            };
            session.snapshot().lanes.iter().map(lane).collect()
        }
        Reference::Registers(lane) => {
            all_of(&session.registers(lane), hexadecimal, |number| Reference::Channels(lane, number))
        }
        Reference::Variables(lane) => {
            all_of(&session.variables(lane), hexadecimal, |number| Reference::Parts(lane, number))
        }
        Reference::Channels(lane, number) => channels_of(session.registers(lane).get(number), hexadecimal),
        Reference::Parts(lane, number) => channels_of(session.variables(lane).get(number), hexadecimal),
        Reference::Outputs(lane) => {
            let Some(at) = session.guest().lanes().get(lane).map(|lane| lane.at) else { return Vec::new() };
            let output = |output: &ctm_debug::Output| {
                let bytes = output.bytes_of(at)?;
                let words =
                    session.words(&WriteTarget::Memory { address: bytes.start, bytes: bytes.end - bytes.start });
                let word = |&word: &u32| match hexadecimal {
                    true => format!("{word:#010x}"),
                    false => format!("{:?} ({word:#010x})", f32::from_bits(word)),
                };
                let value = words.iter().map(word).collect::<Vec<_>>().join(", ");
                let memory = format!("{:#x}", bytes.start);
                Some(json!({"name": output.name, "value": value, "variablesReference": 0, "memoryReference": memory}))
            };
            session.guest().outputs().iter().filter_map(output).collect()
        }
    }
}

/// What a variable of a reference stands for.
pub fn target(session: &Session, reference: Option<Reference>, name: &str) -> Option<(usize, WriteTarget)> {
    let guest = session.guest();
    let of_lane = |lane: usize| WriteTarget::parse(guest, guest.lanes().get(lane)?.at, name).ok();
    match reference {
        Some(Reference::Outputs(lane)) => {
            let at = session.guest().lanes().get(lane)?.at;
            let output = session.guest().outputs().into_iter().find(|output| output.name == name)?;
            let bytes = output.bytes_of(at)?;
            Some((lane, WriteTarget::Memory { address: bytes.start, bytes: bytes.end - bytes.start }))
        }
        Some(reference @ (Reference::Channels(lane, _) | Reference::Parts(lane, _))) => {
            let (registers, register) = match reference {
                Reference::Parts(_, number) => (session.variables(lane), number),
                Reference::Channels(_, number) => (session.registers(lane), number),
                _ => return None,
            };
            let register = registers.get(register)?;
            let value = register.values.iter().find(|value| {
                value.channel.map_or(register.name.clone(), String::from) == name
                    || channel_name(&register.name, value) == name
            })?;
            Some((lane, WriteTarget::cell(value.cell?)))
        }
        Some(Reference::Registers(lane)) => Some((lane, of_lane(lane)?)),
        Some(Reference::Variables(lane)) => {
            let variables = session.variables(lane);
            let variable = variables.iter().find(|variable| variable.name == name)?;
            match &variable.values[..] {
                [value] => Some((lane, WriteTarget::cell(value.cell?))),
                _ => None,
            }
        }
        Some(Reference::Lanes) => None,
        None => {
            let lane = session.lane_number(session.focus())?;
            Some((lane, of_lane(lane)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_come_back() {
        for reference in [
            Reference::Lanes,
            Reference::Registers(0),
            Reference::Registers(255),
            Reference::Outputs(31),
            Reference::Channels(0, 0),
            Reference::Channels(255, 300),
            Reference::Variables(0),
            Reference::Variables(255),
            Reference::Parts(0, 0),
            Reference::Parts(255, 300),
        ] {
            assert_eq!(Reference::of(reference.number()), Some(reference));
        }
        assert_eq!((Reference::of(0), Reference::of(5)), (None, None));
    }
}
