//! The reference of command buffers: every command, the values of their fields, and every error code.

use crate::ErrorCode;
use crate::command::{COMMANDS, CommandInfo, Parameter};
use ctm_text::topic::{NamedValue, Topic};

/// What is to be done about an error.
fn error(code: ErrorCode) -> (&'static str, &'static str) {
    match code {
        ErrorCode::Opcode => (
            "A dword is not an opcode, or the buffer ends inside a command. The rest of the buffer was dropped.",
            "the message names the dword; `ctm dis FILE` shows the buffer up to there",
        ),
        ErrorCode::Address => (
            "A program or command reached outside of the mapped memory: reads gave 0, writes were dropped.",
            "check base, pitch and height of the buffer that the message names",
        ),
        ErrorCode::Program => (
            "A program was to start, but its image is missing or invalid.",
            "set the image with `set_inst_fmt`, and check it with `ctm check`",
        ),
        ErrorCode::State => (
            "A program was to start, but state that it needs is not set, or is reserved.",
            "issue the command that the message names before `start_program`",
        ),
        ErrorCode::Trap => {
            ("A lane did what the machine cannot do, such as a fifth nested call.", "see `ctm explain trap`")
        }
        ErrorCode::Internal => (
            "The device itself failed, by a bug. Nothing that was submitted from then on is executed.",
            "report it, with a trace of the device",
        ),
        ErrorCode::Limit => (
            "A program needed more time, instructions or memory than the limits allow. What it wrote up to then is there.",
            "raise the limit, or look for an infinite loop",
        ),
    }
}

fn field(parameter: &Parameter) -> String {
    let field = &parameter.field;
    let shifted = if parameter.shift > 0 { format!(" << {}", parameter.shift) } else { String::new() };
    format!("{}: parameter {} bits {}:{}{shifted}: {}", field.name, field.word, field.hi, field.lo, field.doc)
}

fn command(info: &CommandInfo) -> Topic {
    let names: Vec<String> = info.fields.iter().map(|parameter| parameter.field.name.to_lowercase()).collect();
    let idle = "it may be issued while a program runs";
    let busy = "`wait_for_idle` must come before it";
    let values = info.fields.iter().flat_map(|Parameter { field, .. }| {
        (0..=field.max().min(15)).filter_map(|value| {
            Some(NamedValue { value, name: (field.spell)(value)?, meaning: (field.about)(value)?.trim() })
        })
    });
    Topic {
        name: info.name.to_owned(),
        kind: "command",
        meaning: info.doc.to_owned(),
        operands: (!names.is_empty()).then(|| names.join(", ")),
        rules: vec![if info.pipelined { idle } else { busy }.to_owned()],
        encoding: std::iter::once(format!("opcode {:#010x}, then {} dwords", info.opcode, info.parameters))
            .chain(info.fields.iter().map(field))
            .collect(),
        values: values.collect(),
        source: "CTM Guide p.8-22".to_owned(),
        ..Topic::default()
    }
}

/// Everything that command buffers name, kind by kind.
pub fn topics() -> Vec<Topic> {
    let errors = ErrorCode::ALL.into_iter().map(|code| {
        let (meaning, remedy) = error(code);
        Topic {
            name: code.name().to_owned(),
            kind: "error code",
            meaning: format!("{meaning} Remedy: {remedy}."),
            encoding: vec![format!("code {}", code as u32)],
            source: "docs/device.md; the guide leaves errors open".to_owned(),
            ..Topic::default()
        }
    });
    let dword = Topic {
        name: ".dword".to_owned(),
        kind: "directive",
        meaning: "`.dword 0x12345678` is a dword of the buffer that belongs to no command.".to_owned(),
        source: "docs/ctmcb.md".to_owned(),
        ..Topic::default()
    };
    COMMANDS.iter().map(command).chain([dword]).chain(errors).collect()
}
