//! What a client is shown of a session's moment.

use crate::breakpoints::{LISTING, parse_address};
use crate::values::Reference;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ctm_debug::{FrameKind, Session};
use serde_json::{Value, json};

/// Bytes that are read at once, at most.
const MOST_BYTES: u64 = 1 << 20;

/// What this server can do.
pub fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsRestartRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsDataBreakpoints": true,
        "supportsDataBreakpointBytes": true,
        "supportsDisassembleRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsSteppingGranularity": true,
        "supportsInstructionBreakpoints": true,
        "supportsTerminateRequest": true,
        "supportsValueFormattingOptions": true,
        "exceptionBreakpointFilters": [
            {"filter": "nan", "label": "A number becomes a NaN", "default": false},
            {"filter": "leaves", "label": "The lane leaves a branch or loop, or ends", "default": false},
        ],
    })
}

/// The lanes that run.
pub fn threads(session: &Session) -> Value {
    let snapshot = session.snapshot();
    let lanes = snapshot.lanes.iter().enumerate().filter(|(_, lane)| lane.runs);
    let thread = |(number, lane): (usize, &ctm_debug::LaneSnapshot)| json!({"id": number + 1, "name": format!("lane ({}, {}): {}", lane.i, lane.j, lane.standing)});
    json!({"threads": lanes.map(thread).collect::<Vec<_>>()})
}

/// The source that a row of the listing is shown in, and the line there.
pub fn source_of_row(session: &Session, row: usize) -> (Value, u32) {
    let listing = session.guest().listing();
    match listing.rows.get(row).and_then(|row| row.line).and_then(|(of, line)| Some((listing.sources.get(of)?, line))) {
        Some((source, line)) => {
            let name = source.name.rsplit(['/', '\\']).next().unwrap_or(&source.name);
            (json!({"name": name, "path": source.name}), line)
        }
        None => {
            let name = format!("{} listing", session.guest().machine());
            (json!({"name": name, "sourceReference": LISTING}), row as u32 + 1)
        }
    }
}

/// The instruction that is next, and the calls around it.
pub fn stack_trace(session: &Session, arguments: &Value, frames: u64) -> Value {
    let lane = arguments["threadId"].as_u64().unwrap_or(1).saturating_sub(1);
    let guest = session.guest();
    let calls = guest.stack().into_iter().rev().filter(|frame| frame.kind == FrameKind::Call);
    let next = guest.place().and_then(|place| guest.listing().row(place));
    let returns = calls.filter_map(|frame| guest.listing().row(frame.returns?));
    let frame = |(depth, row): (usize, usize)| {
        let (source, line) = source_of_row(session, row);
        json!({
            "id": (lane + 1) * frames + depth as u64,
            "name": format!("{}: {}", guest.listing().rows[row].address, guest.listing().rows[row].text),
            "source": source,
            "line": line,
            "column": 1,
            "instructionPointerReference": format!("{row:#x}"),
        })
    };
    let all: Vec<Value> = next.into_iter().chain(returns).enumerate().map(frame).collect();
    let total = all.len();
    let start = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
    let levels = arguments["levels"].as_u64().filter(|&levels| levels > 0).unwrap_or(frames) as usize;
    let some: Vec<Value> = all.into_iter().skip(start).take(levels).collect();
    json!({"stackFrames": some, "totalFrames": total})
}

/// The scopes of a lane.
pub fn scopes(session: &Session, lane: usize) -> Value {
    let scope = |name: &str, reference: Reference, hint: Option<&str>| {
        let mut scope = json!({"name": name, "variablesReference": reference.number(), "expensive": false});
        if let Some(hint) = hint {
            scope["presentationHint"] = json!(hint);
        }
        scope
    };
    let variables = session.has_variables().then(|| scope("Variables", Reference::Variables(lane), Some("locals")));
    let others = [
        scope("Registers", Reference::Registers(lane), Some("registers")),
        scope("Outputs in memory", Reference::Outputs(lane), None),
        scope("Lanes of the group", Reference::Lanes, None),
    ];
    json!({"scopes": variables.into_iter().chain(others).collect::<Vec<_>>()})
}

/// `readMemory`: what the run's memory holds now, up to the end of what is mapped there.
pub fn memory(session: &Session, arguments: &Value) -> Result<Value, String> {
    let base = arguments["memoryReference"].as_str().and_then(|reference| reference.strip_prefix("0x"));
    let base = base.and_then(|digits| i64::from_str_radix(digits, 16).ok()).ok_or("not a memory address")?;
    let address = base.saturating_add(arguments["offset"].as_i64().unwrap_or(0));
    let count = arguments["count"].as_u64().unwrap_or(0);
    let arenas = session.guest().memory().arenas();
    let mapped = u32::try_from(address).ok().and_then(|address| {
        let arena =
            arenas.iter().find(|arena| address.checked_sub(arena.base()).is_some_and(|at| at < arena.size()))?;
        let there = u64::from(arena.size() - (address - arena.base()));
        let mut bytes = vec![0; there.min(count).min(MOST_BYTES) as usize];
        arena.read_bytes(address, &mut bytes).then_some(bytes)
    });
    let bytes = mapped.unwrap_or_default();
    Ok(json!({
        "address": format!("{:#x}", address.max(0)),
        "unreadableBytes": count - bytes.len() as u64,
        "data": STANDARD.encode(bytes),
    }))
}

/// `disassemble`.
pub fn disassembly(session: &Session, arguments: &Value) -> Value {
    let first = parse_address(&arguments["memoryReference"]).unwrap_or(0);
    let first = first.saturating_add(arguments["offset"].as_i64().unwrap_or(0));
    let first = first.saturating_add(arguments["instructionOffset"].as_i64().unwrap_or(0));
    // Clients ask for some hundred.
    let count = arguments["instructionCount"].as_i64().unwrap_or(0).clamp(0, 1 << 16);
    let rows = &session.guest().listing().rows;
    let instruction = |number: i64| {
        let Some(row) = usize::try_from(number).ok().and_then(|at| rows.get(at)) else {
            let address = if number < 0 { "-1".to_owned() } else { format!("{number:#x}") };
            return json!({"address": address, "instruction": "(no instruction)", "presentationHint": "invalid"});
        };
        let (location, line) = source_of_row(session, number as usize);
        json!({
            "address": format!("{number:#x}"),
            "instruction": format!("{}: {}", row.address, row.text),
            "symbol": row.labels.first(),
            "location": location,
            "line": line,
        })
    };
    json!({"instructions": (first..first.saturating_add(count)).map(instruction).collect::<Vec<_>>()})
}
