//! Listings of SM50 code: what `cuobjdump -sass` and `nvdisasm` print, and the notations of CuAssembler and maxas.
//!
//! Where every instruction has its word beside it, the words count, control words included. Else the instructions are
//! assembled: comments, braces of dual issue, directives of ELF sections and the different notations of control bits and labels are
//! rewritten, line by line, so that what is wrong has the line of the listing.
//!
//! Sources: "CUDA Binary Utilities" for the listings; the documentation of CuAssembler and maxas for control bits.

use crate::sm50::{Kernel, is_loaded};
use ctm_sm50::{BUNDLE_BYTES, Code, CodeError, Program, text};
use ctm_text::{Diagnostic, excerpt};
use thiserror::Error;

/// Why a listing gives no program. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SassError {
    /// There is no instruction.
    #[error("the listing has no instruction")]
    NoCode,
    /// Code for another architecture.
    #[error("line {line}: the code is for {architecture}; listings for sm_50 to sm_62 can be read")]
    Architecture {
        /// Line number.
        line: usize,
        /// The architecture, as the listing names it.
        architecture: String,
    },
    /// Some instructions have words beside them, and this one has none.
    #[error("line {line}: the word of this instruction is missing, which others have; is the listing cut off?")]
    MissingWord {
        /// Line number.
        line: usize,
    },
    /// An instruction at another address than the one that follows from those before.
    #[error(
        "line {line}: the instruction is at {found:#06x}, but {expected:#06x} comes next; is a part of the listing missing?"
    )]
    Address {
        /// Line number.
        line: usize,
        /// Its address.
        found: u32,
        /// The address that follows from those before.
        expected: u32,
    },
    /// A block of maxas that its preprocessor takes away.
    #[error("line {line}: `{block}` is for the preprocessor of maxas: run 'maxas.pl -p' first")]
    Preprocessor {
        /// Line number.
        line: usize,
        /// What is there.
        block: String,
    },
    /// The words are not code.
    #[error("{0}")]
    Code(CodeError),
    /// An instruction is not understood.
    #[error("{}", .0.first().map(Diagnostic::to_string).unwrap_or_default())]
    Text(Vec<Diagnostic>),
}

/// Lines of `cuobjdump` and CuAssembler that are not about code.
const SKIPPED: [&str; 12] = [
    "Fatbin",
    "======",
    "......",
    "code version",
    "host =",
    "compile_size",
    "producer",
    "has debug",
    "compressed",
    "identifier",
    "<CODE>",
    "</CODE>",
];

/// A line with an instruction, taken apart.
struct Line {
    number: usize,
    address: Option<u32>,
    word: Option<u64>,
    /// The instruction in this project's notation; empty if the line is a control word alone.
    text: String,
}

/// A function on its way.
#[derive(Default)]
struct Function {
    name: Option<String>,
    lines: Vec<Line>,
    /// Labels, and the line that each stands on.
    labels: Vec<(usize, String)>,
}

/// Reads the programs of a listing, in order. `name` is how the file is called in diagnostics.
///
/// # Errors
/// See [`SassError`].
pub fn read(name: &str, listing: &str) -> Result<Vec<Kernel>, SassError> {
    let mut functions = vec![Function::default()];
    let mut is_code = true;
    for (number, line) in (1..).zip(listing.lines()) {
        let (code, comments) = split_comments(line);
        let code = code.trim();
        if let Some(architecture) = architecture(code) {
            if !architecture.strip_prefix("sm_").and_then(|number| number.parse().ok()).is_some_and(is_loaded) {
                return Err(SassError::Architecture { line: number, architecture: excerpt(architecture) });
            }
            continue;
        }
        if let Some(function) = function_name(code) {
            is_code = function.is_some();
            if let Some(name) = function {
                functions.push(Function { name: Some(name), ..Function::default() });
            }
            continue;
        }
        if !is_code || SKIPPED.iter().any(|skipped| code.starts_with(skipped)) {
            continue;
        }
        if code.starts_with('<') && !code.contains(';') {
            return Err(SassError::Preprocessor { line: number, block: excerpt(code) });
        }
        let function = functions.last_mut().expect("there is one at least");
        let (labels, code) = split_labels(code);
        function.labels.extend(labels.into_iter().map(|label| (number, label)));
        // What is left of directives of sections says nothing about instructions.
        let code = if code.starts_with('.') && !code.starts_with(".raw") { "" } else { code };
        let Comments { address, word } = comments;
        let text = rewritten(code);
        if !text.is_empty() || word.is_some() {
            function.lines.push(Line { number, address, word, text });
        }
    }
    let kernels = functions.into_iter().filter(|function| !function.lines.is_empty());
    let kernels: Vec<Kernel> = kernels.map(|function| function.kernel(name)).collect::<Result<_, _>>()?;
    if kernels.is_empty() { Err(SassError::NoCode) } else { Ok(kernels) }
}

/// What comments say.
#[derive(Default)]
struct Comments {
    /// `/*0008*/`
    address: Option<u32>,
    /// `/* 0x4c98078000870001 */`
    word: Option<u64>,
}

/// Takes comments out of a line.
fn split_comments(line: &str) -> (String, Comments) {
    let (mut code, mut comments) = (String::new(), Comments::default());
    // Comments of maxas begin with `#`.
    let mut rest = line.split("//").next().unwrap_or_default().split('#').next().unwrap_or_default();
    while let Some((before, after)) = rest.split_once("/*") {
        code += before;
        code.push(' ');
        let (inside, after) = after.split_once("*/").unwrap_or((after, ""));
        rest = after;
        let inside = inside.trim();
        let hex = inside.bytes().all(|digit| digit.is_ascii_hexdigit());
        if let Some(digits) = inside.strip_prefix("0x").filter(|digits| digits.len() == 16) {
            comments.word = u64::from_str_radix(digits, 16).ok();
        } else if (4..=8).contains(&inside.len()) && hex {
            comments.address = u32::from_str_radix(inside, 16).ok();
        }
    }
    code += rest;
    (code, comments)
}

/// `code for sm_50`, `arch = sm_50`
fn architecture(code: &str) -> Option<&str> {
    let rest = code.strip_prefix("code for ").or_else(|| code.strip_prefix("arch = "))?;
    Some(rest.trim())
}

/// What begins a function, or ends all code: `Function : name`, `.section .text.name,"ax"`, `.text.name:`. None inside if it
/// begins a section that is not code.
fn function_name(code: &str) -> Option<Option<String>> {
    if let Some(name) = code.strip_prefix("Function :") {
        return Some(Some(name.trim().to_owned()));
    }
    if let Some(section) = code.strip_prefix(".section") {
        let section = section.trim().split(',').next().unwrap_or_default();
        return Some(section.trim_matches('"').strip_prefix(".text.").map(str::to_owned));
    }
    let name = code.strip_prefix(".text.")?.strip_suffix(':')?;
    Some(Some(name.to_owned()))
}

/// `.L_1:`, `TARGET:`: the labels in front of an instruction.
fn split_labels(mut code: &str) -> (Vec<String>, &str) {
    let mut labels = Vec::new();
    while let Some((label, rest)) = code.split_once(':') {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
        // Control bits of maxas have colons too, and begin with a digit or a dash.
        let begins = label.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '_' | '$'));
        if !begins || !label.chars().all(is_word) {
            break;
        }
        labels.push(label_of(label));
        code = rest.trim_start();
    }
    (labels, code)
}

/// A label in this project's notation, which has no dots.
fn label_of(label: &str) -> String {
    label.trim_start_matches('.').replace(['.', '$', '@'], "_")
}

/// An instruction in this project's notation.
fn rewritten(code: &str) -> String {
    let mut code = code.trim();
    let mut controls = String::new();
    if let Some((inside, rest)) = code.strip_prefix('[').and_then(|code| code.split_once(']')) {
        let parts: Vec<&str> = inside.split(':').collect();
        // CuAssembler's first field repeats what `.reuse` says.
        let parts = if parts.len() == 6 { &parts[1..] } else { &parts };
        controls = format!("[{}] ", parts.join(":"));
        code = rest.trim_start();
    } else if let Some((first, rest)) = code.split_once([' ', '\t'])
        && let Some(of_maxas) = maxas_controls(first)
    {
        controls = format!("[{of_maxas}] ");
        code = rest.trim_start();
    }
    // Instructions that are issued together stand in braces; what counts for the machine is their control bits.
    let mut text = String::with_capacity(code.len());
    let mut rest = code.strip_prefix('{').unwrap_or(code).trim_start();
    while let Some((before, after)) = rest.split_once("(*") {
        text += before;
        rest = after.split_once("*)").map_or("", |(_, after)| after);
    }
    text += rest;
    let ends = text.trim_end().strip_suffix('}').map(str::to_owned);
    let text = ends.unwrap_or(text);
    let mut text = text.trim().trim_end_matches(';').trim_end().to_owned();
    // `(.L_1), as nvdisasm writes targets
    while let Some((before, after)) = text.split_once("`(") {
        let Some((label, after)) = after.split_once(')') else { break };
        text = format!("{before}{}{after}", label_of(label));
    }
    if text.is_empty() { text } else { format!("{controls}{text};") }
}

/// `01:-:1:Y:2` as `B0-----:R-:W0:Y:S02`: barriers to wait for as bits, those that are set counted from 1.
fn maxas_controls(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split(':').collect();
    let [wait, read, write, may_yield, stall] = parts[..] else { return None };
    let wait = if wait == "--" { 0 } else { u32::from_str_radix(wait, 16).ok()? };
    if wait >> 6 != 0 || !matches!(may_yield, "Y" | "-") {
        return None;
    }
    let wait: String = (0..6).map(|n| if wait >> n & 1 != 0 { char::from(b'0' + n as u8) } else { '-' }).collect();
    let barrier = |text: &str| match text {
        "-" => Some("-".to_owned()),
        _ => text.parse::<u32>().ok()?.checked_sub(1).filter(|number| *number < 6).map(|number| number.to_string()),
    };
    let stall = u32::from_str_radix(stall, 16).ok().filter(|stall| *stall < 16)?;
    Some(format!("B{wait}:R{}:W{}:{may_yield}:S{stall:02}", barrier(read)?, barrier(write)?))
}

impl Function {
    fn kernel(self, file: &str) -> Result<Kernel, SassError> {
        let program = if self.lines.iter().any(|line| line.word.is_some()) { self.words()? } else { self.text(file)? };
        Ok(Kernel { name: self.name.unwrap_or_else(|| "main".to_owned()), program })
    }

    /// The program of the words beside the instructions.
    fn words(&self) -> Result<Program, SassError> {
        let mut bytes: Vec<u8> = Vec::new();
        for line in &self.lines {
            let word = line.word.ok_or(SassError::MissingWord { line: line.number })?;
            let expected = bytes.len() as u32;
            let at = if line.text.is_empty() { expected } else { line.address.unwrap_or(expected) };
            let is_control = expected.is_multiple_of(BUNDLE_BYTES);
            if at != expected || is_control != line.text.is_empty() {
                return Err(SassError::Address { line: line.number, found: at, expected });
            }
            bytes.extend(word.to_le_bytes());
        }
        let code = Code::from_bytes(&bytes).map_err(SassError::Code)?;
        Ok(Program { code, ..Program::default() })
    }

    /// The program of the instructions as they are spelled. Each stands on the line that it has in the listing.
    fn text(&self, file: &str) -> Result<Program, SassError> {
        let mut source = String::new();
        let mut at = 1;
        let mut labels = self.labels.iter().peekable();
        for line in &self.lines {
            source.extend(std::iter::repeat_n('\n', line.number - at));
            at = line.number;
            while let Some((_, label)) = labels.next_if(|(number, _)| *number <= line.number) {
                source += &format!("{label}: ");
            }
            source += &line.text;
        }
        labels.for_each(|(_, label)| source += &format!("\n{label}:"));
        let parsed = text::parse_with(file, &source, &mut |_, _| Err("listings include no files".to_owned()));
        parsed.map(|assembled| assembled.program).map_err(SassError::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUOBJDUMP: &str = "\
\tcode for sm_50
\t\tFunction : _Z1fPf
\t.headerflags    @\"EF_CUDA_SM50 EF_CUDA_PTX_SM(EF_CUDA_SM50)\"
                                             /* 0x001fbc00fe2007f6 */
        /*0008*/     MOV R1, c[0x0][0x20] ;  /* 0x4c98078000870001 */
        /*0010*/     NOP ;                   /* 0x50b0000000070f00 */
        /*0018*/     EXIT ;                  /* 0xe30000000007000f */
\t\t.......................
";

    #[test]
    fn words_beside_instructions_count() {
        let kernels = read("a", CUOBJDUMP).unwrap();
        assert_eq!(kernels.len(), 1);
        assert_eq!(kernels[0].name, "_Z1fPf");
        let words: Vec<u64> = kernels[0].program.code.words().collect();
        assert_eq!(words, [0x001f_bc00_fe20_07f6, 0x4c98_0780_0087_0001, 0x50b0_0000_0007_0f00, 0xe300_0000_0007_000f]);
    }

    #[test]
    fn instructions_without_words_are_assembled() {
        let cuassembler = "
.section .nv.info,\"\",@\"SHT_CUDA_INFO\"
  .byte 1, 2
.section .text.f,\"ax\",@progbits
.text.f:
      [----:B------:R-:W0:-:S15]         /*0010*/                   S2R R0, SR_TID.X ;
  .L_1:
      [----:B0-----:R-:W-:-:S06]         /*0018*/                   IADD32I R0, R0, 0x1 ;
      [----:B------:R-:W-:-:S13]         /*0030*/               @P0 BRA `(.L_1) ;
      [-R--:B------:R-:W-:-:S01]         /*0038*/         {         MOV R4, R0.reuse ;
      [----:B------:R-:W-:-:S15]         /*0048*/                   S2R R5, SR_CTAID.X         }
      [----:B------:R-:W-:-:S15]         /*0050*/                   EXIT ;
";
        let maxas = "
--:-:1:-:f      S2R R0, SR_TID.X;
L_1:
01:-:-:-:6      IADD32I R0, R0, 0x1;
--:-:-:-:d  @P0 BRA L_1;
--:-:-:-:1      MOV R4, R0.reuse;
--:-:-:-:f      S2R R5, SR_CTAID.X;
--:-:-:-:f      EXIT;
";
        let nvdisasm = "
        .text.f:
        /*0010*/  S2R R0, SR_TID.X ;
.L_1:
        /*0018*/  IADD32I R0, R0, 0x1 ;
        /*0030*/  @P0 BRA `(.L_1) ;
        /*0038*/ {   MOV R4, R0.reuse ;
        /*0048*/     S2R R5, SR_CTAID.X  }
        /*0050*/  EXIT ;
";
        let of = |listing| read("a", listing).unwrap().swap_remove(0);
        let expected = of(cuassembler);
        assert_eq!(expected.name, "f");
        assert_eq!(expected.program.code.instructions().len(), 6);
        assert_eq!(of(maxas).program, expected.program);
        assert_eq!(of(nvdisasm).program.code.instructions(), expected.program.code.instructions());
        let printed = text::print_program(&expected.program);
        assert!(printed.contains("[B------:R-:W0:-:S15] S2R R0, SR_TID.X;"), "{printed}");
        assert!(printed.contains("MOV R4, R0.reuse;"), "{printed}");
    }

    #[test]
    fn functions_have_names() {
        let second = CUOBJDUMP.replace("_Z1fPf", "_Z1gPf").replace("\tcode for sm_50\n", "");
        let names = |listing: &str| read("a", listing).unwrap().into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names(&format!("{CUOBJDUMP}{second}")), ["_Z1fPf", "_Z1gPf"]);
        // What stands in front of them, as cuobjdump prints it.
        let heads = "\nFatbin elf code:\n================\narch = sm_50\ncode version = [1,7]\nhost = linux\ncompile_size = 64bit\n";
        assert_eq!(names(&format!("{heads}{CUOBJDUMP}")), ["_Z1fPf"]);
        // A section and a label of one function have its name; a section without code is none.
        let sections = "EXIT;\n.section .nv.info\nFROB;\n.section .text.f,\"ax\"\n.text.f:\nEXIT;\n.section .text.g\n.text.h:\nEXIT;\n";
        assert_eq!(names(sections), ["main", "f", "h"]);
    }

    #[test]
    fn controls_of_maxas() {
        for (of_maxas, own) in [
            ("--:-:-:-:0", Some("B------:R-:W-:-:S00")),
            ("3f:1:6:Y:f", Some("B012345:R0:W5:Y:S15")),
            ("12:2:-:-:a", Some("B-1--4-:R1:W-:-:S10")),
            ("40:-:-:-:1", None),
            ("00:-:-:X:1", None),
            ("00:0:-:-:1", None),
            ("00:7:-:-:1", None),
            ("00:-:-:-:10", None),
            ("00:-:-:-", None),
        ] {
            assert_eq!(maxas_controls(of_maxas).as_deref(), own, "{of_maxas}");
        }
    }

    #[test]
    fn labels_stand_where_they_are() {
        let [ahead, behind] = ["EXIT;\nL:\nBRA L;\nEXIT;\n", "EXIT;\nBRA L;\nL:\nEXIT;\n"].map(|text| read("a", text));
        let own = "EXIT;\nL: BRA L;\nEXIT;";
        assert_eq!(ahead.unwrap()[0].program, text::parse(own).unwrap().program);
        assert_ne!(behind.unwrap()[0].program, text::parse(own).unwrap().program);
        let end = read("a", "BRA L;\nEXIT;\nL:\n").unwrap();
        assert_eq!(end[0].program, text::parse("BRA L;\nEXIT;\nL:").unwrap().program);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let error = |text: &str| read("a", text).unwrap_err();
        assert_eq!(error(""), SassError::NoCode);
        assert_eq!(error("\tcode for sm_70\n"), SassError::Architecture { line: 1, architecture: "sm_70".into() });
        let without_word = CUOBJDUMP.replace("/* 0x50b0000000070f00 */", "");
        assert_eq!(error(&without_word), SassError::MissingWord { line: 6 });
        let gap = CUOBJDUMP.replace("/*0010*/", "/*0018*/");
        assert_eq!(error(&gap), SassError::Address { line: 6, found: 0x18, expected: 0x10 });
        let without_control = CUOBJDUMP.replace("/* 0x001fbc00fe2007f6 */", "");
        assert_eq!(error(&without_control), SassError::Address { line: 5, found: 8, expected: 0 });
        // A comment that is too short for an address is not one.
        let with_comments = CUOBJDUMP.replace("NOP ;", "NOP ; /*1*/");
        assert_eq!(read("a", &with_comments), read("a", CUOBJDUMP));
        let SassError::Text(diagnostics) = error("/*0008*/ EXIT;\n/*0010*/ FROB R0;\n") else { panic!() };
        assert!(diagnostics[0].to_string().contains("FROB"), "{}", diagnostics[0]);
        assert_eq!(diagnostics[0].file.text[..diagnostics[0].span.start].matches('\n').count(), 1);
        assert!(matches!(error("<SCHEDULE_BLOCK>\n"), SassError::Preprocessor { line: 1, .. }));
    }

    #[test]
    fn any_text_gives_programs_or_an_error() {
        ctm_cases::check(2000, |bytes| {
            let mut text = CUOBJDUMP.to_owned();
            let at = bytes.int_in_range(0..=text.len())?;
            text.insert_str(at, &String::from_utf8_lossy(bytes.arbitrary::<&[u8]>()?));
            _ = read("a", &text);
            Ok(())
        });
    }
}
