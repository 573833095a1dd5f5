//! The table of words in `docs/ctmcb.md` is that of the code.

use ctm_device::command::{COMMANDS, CommandInfo, FormatCode, LocationCode, TestCode, TilingCode};
use std::fs;
use std::path::Path;

/// Lines that the tables stand between.
const MARKS: [&str; 2] = ["<!-- tables from here -->\n", "<!-- tables to here -->\n"];

/// The fields of a parameter word, the highest first.
fn fields(info: &CommandInfo, word: usize) -> String {
    let mut fields: Vec<_> = info.fields.iter().filter(|parameter| parameter.field.word == word).collect();
    fields.sort_by_key(|parameter| std::cmp::Reverse(parameter.field.hi));
    let field = |parameter: &&ctm_device::command::Parameter| {
        let (field, shift) = (&parameter.field, parameter.shift);
        let bits = match (field.hi, field.lo) {
            (hi, lo) if hi == lo => format!("{hi}"),
            (hi, lo) => format!("{hi}:{lo}"),
        };
        let scale = if shift == 0 { String::new() } else { format!(" / {}", 1u32 << shift) };
        format!("`{}`{scale} [{bits}]", field.name)
    };
    if fields.is_empty() { "reserved".into() } else { fields.iter().map(field).collect::<Vec<_>>().join(", ") }
}

fn row(info: &CommandInfo) -> String {
    let second = info.consistent_opcode.map(|opcode| format!(", `{opcode:#010X}`")).unwrap_or_default();
    let word = |word| if word < info.parameters { fields(info, word) } else { String::new() };
    let words: Vec<String> = (0..4).map(word).collect();
    let pipelined = if info.pipelined { "" } else { "yes" };
    let opcode = format!("`{:#010X}`{second}", info.opcode).replace("0X", "0x");
    format!("| `{}` | {opcode} | {} | {pipelined} |\n", info.name, words.join(" | "))
}

fn codes<'c>(name: &str, codes: impl Iterator<Item = (u32, &'c str)>) -> String {
    let codes: Vec<String> = codes.map(|(code, name)| format!("{code} `{name}`")).collect();
    format!("| `{name}` | {} |\n", codes.join(", "))
}

fn tables() -> String {
    let mut text =
        "| command | word 0: opcode | word 1 | word 2 | word 3 | word 4 | needs `wait_for_idle` |\n".to_owned();
    text += "|---|---|---|---|---|---|---|\n";
    text.extend(COMMANDS.iter().map(row));
    text += "\n| field | codes |\n|---|---|\n";
    text += &codes("format", FormatCode::ALL.into_iter().map(|code| (code as u32, code.name())));
    text += &codes("tiling", TilingCode::ALL.into_iter().map(|code| (code as u32, code.name())));
    text += &codes("test", TestCode::ALL.into_iter().map(|code| (code as u32, code.name())));
    text + &codes("location", LocationCode::ALL.into_iter().map(|code| (code as u32, code.name())))
}

/// `CTM_BLESS=1 cargo test -p ctm-device --test words` writes the page anew.
#[test]
fn the_manual_has_the_words_of_all_commands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ctmcb.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(MARKS[0]).expect("the mark before the tables");
    let (found, after) = rest.split_once(MARKS[1]).expect("the mark after the tables");
    if std::env::var_os("CTM_BLESS").is_some() {
        fs::write(&path, [before, MARKS[0], &tables(), MARKS[1], after].concat()).unwrap();
    } else {
        assert_eq!(found, tables(), "CTM_BLESS=1 writes the tables of the code into the page");
    }
}
