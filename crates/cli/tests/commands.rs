//! Every command does what its help says.

use crate::common::{Folder, POSITION, project};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn prepared(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("position.x1k", POSITION);
    folder
}

#[test]
fn text_words_and_images_turn_into_each_other() {
    let folder = prepared("forms");
    assert_eq!(folder.ctm("asm position.x1k").ok().err(), "");
    folder.ctm("asm position.x1k -o position.u32").ok();
    assert_eq!(folder.names(), ["position.elf", "position.u32", "position.x1k"]);
    assert_eq!(folder.ctm("asm position.x1k -o -").ok().0.stdout, folder.read("position.elf"));

    for form in ["position.x1k", "position.elf", "position.u32"] {
        let text = folder.ctm(&format!("dis {form}")).ok();
        folder.write("again.x1k", text.out()).ctm("asm again.x1k -o again.u32").ok();
        assert_eq!(folder.read("again.u32"), folder.read("position.u32"), "{form}");
    }
    std::fs::copy(folder.0.join("position.u32"), folder.0.join("words.bin")).expect("a copy");
    let words = folder.ctm("dis words.bin --isa x1k").ok();
    assert_eq!(words.out(), folder.ctm("dis position.u32").ok().out());
}

#[test]
fn disassembly_shows_every_field() {
    let folder = prepared("fields");
    let table = folder.ctm("dis position.x1k --fields").ok();
    for row in ["TYPE 0 1:0 1 OUT", "RGB_OMASK 0 17:15 7", "RGB_OP 5 3:0 0 MAD"] {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(table.out().lines().any(|line| words(line).starts_with(row)), "{row}\n{}", table.out());
    }
    let listing = json(folder.ctm("dis position.x1k --json").ok().out());
    let instruction = &listing["instructions"][0];
    assert_eq!(instruction["type"], "OUT");
    let words: Vec<_> = instruction["words"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| u32::from_str_radix(&word[2..], 16).expect("hex").to_le_bytes()).collect();
    folder.ctm("asm position.x1k -o position.u32").ok();
    assert_eq!(bytes, folder.read("position.u32"));
    let field = |name: &str| {
        instruction["fields"].as_array().expect("fields").iter().find(|field| field["name"] == name).cloned()
    };
    assert_eq!(field("RGB_OP").expect("the field")["is"], "MAD");
    assert_eq!(listing["info"]["end"], 0);
}

#[test]
fn disassembly_with_comments_assembles_too() {
    let folder = prepared("comments");
    folder.ctm("asm position.x1k -o position.u32").ok();
    let text = folder.ctm("dis position.u32 --addresses --words").ok();
    let words = folder.read("position.u32");
    let first = format!("{:02x}{:02x}{:02x}{:02x}", words[3], words[2], words[1], words[0]);
    assert!(text.out().to_lowercase().contains(&first), "{}", text.out());
    folder.write("again.x1k", text.out()).ctm("asm again.x1k -o again.u32").ok();
    assert_eq!(folder.read("again.u32"), words);
}

#[test]
fn check_reports_and_explain_explains() {
    let folder = prepared("check");
    assert_eq!(folder.ctm("check position.x1k").ok().out(), "position.x1k: no errors, no warnings\n");
    folder.write("unset.x1k", "OUT TEX_SEM_WAIT src0.rgb = temp[5] : out[0].rgb = MAX src0.rgb src0.rgb ;\n");
    let report = folder.ctm("check unset.x1k").ok();
    assert!(report.err().contains("warning[X1K105]") && report.err().contains("unset.x1k:1:"), "{}", report.err());
    assert_eq!(report.out(), "unset.x1k: no errors, 1 warning\n");
    let findings = json(folder.ctm("check unset.x1k --json").ok().out());
    assert_eq!((&findings["errors"], &findings["warnings"]), (&Value::from(0), &Value::from(1)));
    let finding = &findings["findings"][0];
    assert_eq!((&finding["code"], &finding["line"], &finding["pc"]), (&"X1K105".into(), &1.into(), &0.into()));

    let all = folder.ctm("explain").ok();
    assert!(all.out().contains("X1K105   warning  register read before it is written\n"), "{}", all.out());
    for line in all.out().lines().take_while(|line| !line.is_empty()) {
        let code = line.split_whitespace().next().expect("a code");
        assert!(folder.ctm(&format!("explain {}", code.to_lowercase())).ok().out().contains(code));
    }
}

#[test]
fn explain_knows_every_name() {
    let folder = Folder::new("explain");
    for (line, expected) in [
        ("explain cmp", &["D = C >= 0 ? A : B", "RGB_OP", "ALPHA_OP", "NaN in C gives B", "CTM Guide"][..]),
        ("explain SIN --isa r700", &["1.0 is a whole circle", "trans unit", "dword 1"]),
        ("explain FFMA", &["Rd = A * B + C", "Rd, A, B, C", "0x5980", "the product is not rounded"]),
        ("explain SR_NTID", &["block's size", "0x28"]),
        ("explain temp[3]", &["x in r and y in g"]),
        ("explain c[0x0][0x8]", &["block's size at 0x8"]),
        ("explain RGB_PRED_SEL", &["dword 0 bits 5:3", "`gggg`: The green bit"]),
        ("explain INT_CONDITION", &["Integer comparison", "`.LT`: Less"]),
        ("explain R3.x", &["x in R0.x", "255 registers"]),
        ("explain MUFU.RCP", &["1 / A"]),
        ("explain if", &["# IF: statement of x1k", "ELSE or ENDIF"]),
        ("explain .const", &["# .const: directive of x1k", "# .const: directive of pvs"]),
        ("explain KCACHE0", &["# KCACHE0: property of control flow of r700", "multiple of 16"]),
        ("explain denorm", &["# DENORM: property of a fetch of r700"]),
        ("explain update_exec_mask", &["a POP or ELSE"]),
        ("explain .FTZ", &["# FTZ: field of sm50"]),
        ("explain VTX_FETCH", &["name of `FETCH`"]),
        ("explain set_domain", &["# set_domain: command of ctm", "i0, j0, i1, j1"]),
        ("explain E_OPCODE", &["# E_OPCODE: error code of ctm"]),
        ("explain unknown-word", &["# unknown-word: error of a text"]),
        (
            "explain clamp",
            &["# clamp: concept", "# clamp: modifier of x1k", "# CLAMP: property of an ALU line of r700"],
        ),
        ("explain branch stack", &["# branch stack: concept", "Pages that mention it:", "R700009"]),
        ("explain branch-stack", &["# branch stack: concept"]),
    ] {
        let done = folder.ctm(line).ok();
        expected.iter().for_each(|part| assert!(done.out().contains(part), "{line}: {part}\n{}", done.out()));
    }
    // Words that are not a name list the pages that are about all of them.
    let found = folder.ctm("explain angle turns").ok();
    let names: Vec<&str> = found.out().lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["SIN", "COS"], "{}", found.out());
    let found = folder.ctm("explain angle flavour").fails(2, &["unknown code or name 'angle flavour'"]);
    assert_eq!(found.out(), "");
    let many = folder.ctm("explain register operand").ok();
    assert!(
        many.out().lines().count() == 51 && many.out().ends_with("more pages; add a word, or --isa\n"),
        "{}",
        many.out()
    );
    let topics = json(folder.ctm("explain DOT4 --json").ok().out());
    let topic = &topics["topics"][0];
    assert_eq!((&topic["isa"], &topic["name"], &topic["operands"]), (&"r700".into(), &"DOT4".into(), &"S0, S1".into()));
    assert_eq!(json(folder.ctm("explain SM50101 --json").ok().out())["code"]["severity"], "warning");
}

#[test]
fn info_shows_what_a_program_uses() {
    let folder = prepared("info");
    folder.write("more.x1k", format!(".const c7 = 1.0, 2.0, inf, 0x7FC00000\n{POSITION}"));
    let report = folder.ctm("info more.x1k").ok();
    for line in [
        "instructions           1, from 0 to 0",
        "float constants        c0",
        "c7                   1.0, 2.0, inf, 0x7fc00000",
        "OUT 1",
    ] {
        assert!(report.out().contains(line), "{line}\n{}", report.out());
    }
    let report = json(folder.ctm("info more.x1k --json").ok().out());
    assert_eq!(report["registers"], json("[0]"));
    assert_eq!(report["constants"]["c7"], json(r#"[1.0, 2.0, "inf", "0x7fc00000"]"#));
    assert_eq!(report["notes"]["float_constants"], json("[0]"));
    assert_eq!(report["mix"]["rgb"]["MAD"], 1);
}

#[test]
fn completions_know_the_commands() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.ctm(&format!("completions {shell}")).ok();
        assert!(
            script.out().contains("--zero-times-anything") || script.out().contains("zero-times-anything"),
            "{shell}"
        );
    }
}

/// Every command that a page names has a page, and that page has its options.
#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new("man");
    let named = |page: &str| -> Vec<String> {
        let line = |line: &str| Some(line.strip_prefix("ctm\\-")?.strip_suffix("(1)")?.replace("\\-", " "));
        page.lines().filter_map(line).collect()
    };
    let page = folder.ctm("man").ok().out().to_owned();
    assert!(page.contains(".TH ctm 1") && page.contains("Exit codes:"), "{page}");
    let mut commands = named(&page);
    for known in ["asm", "run", "draw", "replay", "import", "man"] {
        assert!(commands.iter().any(|command| command == known), "{commands:?}");
    }
    while let Some(command) = commands.pop() {
        let page = folder.ctm(&format!("man {command}")).ok().out().to_owned();
        assert!(page.contains(&format!("ctm\\-{}", command.replace(' ', "\\-"))), "{command}: {page}");
        let (_, notes) = page.split_once("\n.SH NOTES\n.nf\n").expect("lines as they are");
        assert!(notes.contains(&format!("ctm {command} ")), "{command} has no example: {page}");
        commands.extend(named(&page));
    }
    assert!(folder.ctm("man run").ok().out().contains("\\-\\-output\\-format"));
    assert!(!folder.ctm("man").ok().out().contains("in\\-sandbox"), "what is hidden is not shown");
}

#[test]
fn help_has_examples() {
    let folder = Folder::new("help");
    assert!(folder.ctm("--help").ok().out().contains("Examples:"));
    for command in ["asm", "dis", "check", "explain", "info", "run", "completions", "man", "import", "import mesa"] {
        let help = folder.ctm(&format!("{command} --help")).ok();
        assert!(help.out().contains(&format!("ctm {command} ")), "{}", help.out());
    }
}

#[test]
fn a_program_comes_from_standard_input() {
    use std::io::Write;
    use std::process::Stdio;
    let folder = Folder::new("stdin");
    let mut child =
        folder.command(["dis", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("ctm starts");
    child.stdin.take().expect("a pipe").write_all(POSITION.as_bytes()).expect("ctm reads");
    let output = child.wait_with_output().expect("ctm ends");
    assert!(String::from_utf8_lossy(&output.stdout).contains("MAD src0.rgr"));
}

#[test]
fn errors_in_included_texts_show_those() {
    let folder = Folder::new("include");
    std::fs::create_dir(folder.0.join("parts")).expect("a folder");
    folder.write("main.x1k", "#include \"parts/loop.x1k\"\nOUT TEX_SEM_WAIT : ;\n");
    folder.write("parts/loop.x1k", "-- a comment\nFC JUMP 0, when = always ;\n");
    folder.ctm("run main.x1k").fails(3, &["parts/loop.x1k:2:1", "FC JUMP"]);
    folder.write("parts/loop.x1k", "\n\nMUD ;\n");
    folder.ctm("run main.x1k").fails(1, &["parts/loop.x1k:3:1", "MUD"]);
    folder.write("main.x1k", "#include \"nowhere.x1k\"\n");
    folder.ctm("run main.x1k").fails(1, &["main.x1k:1:", "nowhere.x1k", "no such file"]);
}

#[test]
fn a_trap_of_a_binary_shows_the_disassembly() {
    let folder = Folder::new("binary-trap");
    folder.write("endless.x1k", ": ;\nFC JUMP 1, when = always ;\nOUT TEX_SEM_WAIT : ;\n");
    folder.ctm("asm endless.x1k").ok();
    folder.ctm("run endless.elf").fails(3, &["disassembly of endless.elf:1:1", "1 | FC", "JUMP"]);
}

#[test]
fn a_dump_with_more_programs_than_one() {
    let folder = Folder::new("dumps");
    let dump = |case: &str| {
        std::fs::read_to_string(format!("{}/../../tests/corpus/x1k/{case}/dump.txt", env!("CARGO_MANIFEST_DIR")))
            .expect("a dump")
    };
    folder.write("two.txt", dump("op_mad") + &dump("pre_sub"));
    let last = folder.ctm("import mesa two.txt -o -").ok();
    assert!(last.err().contains("2 programs"), "{}", last.err());
    assert_eq!(last.out(), folder.ctm("import mesa two.txt --index 1 -o -").ok().out());
    let first = folder.ctm("import mesa two.txt --index 0 -o -").ok();
    assert_ne!(first.out(), last.out());
    folder.ctm("import mesa two.txt --index 2 -o -").fails(1, &["2 programs", "number 2"]);
}

#[test]
fn many_files_are_checked_at_once() {
    let folder = Folder::new("check-many");
    folder.write("good.x1k", POSITION).write("bad.x1k", "OUT ;\n");
    let done = folder.ctm("check good.x1k good.x1k").ok();
    assert_eq!(done.out(), "good.x1k: no errors, no warnings\n".repeat(2));
    let done = folder.ctm("check good.x1k bad.x1k nowhere.x1k").fails(1, &["bad.x1k", "nowhere.x1k", "2 files of 3"]);
    assert_eq!(done.out(), "good.x1k: no errors, no warnings\n");
    let report = json(folder.ctm("check good.x1k bad.x1k good.x1k --json").fails(1, &["1 file of 3"]).out());
    let names: Vec<_> = report["files"].as_array().expect("files").iter().map(|file| file["file"].clone()).collect();
    assert_eq!(names, ["good.x1k", "good.x1k"]);
}

#[test]
fn disassembly_goes_to_a_file() {
    let folder = Folder::new("dis-output");
    folder.write("position.x1k", POSITION).ctm("asm position.x1k").ok();
    let text = folder.ctm("dis position.elf").ok().out().to_string();
    assert_eq!(folder.ctm("dis position.elf -o out.x1k").ok().out(), "");
    assert_eq!(folder.read("out.x1k"), text.as_bytes());
    assert_eq!(folder.ctm("dis position.elf -o -").ok().out(), text);
    folder.ctm("dis position.elf --json -o out.json").ok();
    assert_eq!(json(std::str::from_utf8(&folder.read("out.json")).expect("text"))["isa"], "x1k");
    folder.ctm("dis position.elf -o position.elf").fails(2, &["it is an input and an output"]);
}

/// A dump of Mesa's r300 is a program as it is, and several are chosen by number.
#[test]
fn dumps_of_mesa_run() {
    let folder = Folder::new("run-dump");
    let dump = std::fs::read_to_string(project("tests/corpus/x1k/op_mad/dump.txt")).expect("a dump");
    folder.write("dump.txt", &dump).write("two.txt", dump.repeat(2));
    folder.ctm("import mesa dump.txt -o program.x1k").ok();
    assert_eq!(folder.ctm("dis dump.txt").ok().out(), folder.ctm("dis program.x1k").ok().out());
    folder.ctm("info dump.txt").ok();
    folder.ctm("dis two.txt").fails(2, &["2 programs", "--kernel"]);
    folder.ctm("dis two.txt --kernel 1").ok();
}
