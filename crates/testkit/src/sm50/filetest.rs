//! Filetests of SM50: one text file is the programs of a draw, and what they run on. Every engine has to do with each launch
//! of the draw what the reference does.
//!
//! Programs are assembly text, each after a line of its own; directives are comment lines in front of them:
//!
//! ```text
//! //; agree: --vertices 70 --primitive POINTS --mode strict --step-limit 4000 --capture 0x80:20
//! //; vertex 3: 0x3f800000,0x0,...
//! //; program:
//! ```
//!
//! Options are also `--first N`, `--instances N`, `--patch-vertices N`, `--domain triangles|quads|isolines`,
//! `--spacing equal|fractionalodd|fractionaleven`, `--point-mode` and `--clockwise`. A line for a vertex has its sixteen input
//! words, which are 0 without it; the words of all vertices are in the constant banks too.

use super::comparison::ComparingRunner;
use super::draft::{Draft, INPUTS};
use crate::filetest::value::{Parsed, dword, one, one_of, options, several};
use ctm_sm50::launch::Mode;
use ctm_sm50::pipeline::{Capture, Primitive, Spacing, TessDomain};
use ctm_sm50::{Program, Stage, text};
use std::fmt::Write;
use std::path::Path;

const MARK: &str = "//; ";
const PROGRAM: &str = "//; program:\n";
/// Most vertices, instances and steps of a file.
const MOST: (u32, u32, u64) = (256, 4, 100_000);

/// Runs the file, and says what is wrong.
///
/// # Errors
/// The file asks for nothing, or for something that there is not.
///
/// # Panics
/// An engine differs from the reference.
pub fn run(path: &Path) -> Result<(), String> {
    let name = path.display();
    let source = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let draft = read(&source).map_err(|error| format!("{name}: {error}"))?;
    // That a draw traps is as good as that it ends: the engines agree.
    drop(draft.run(&ComparingRunner::new()));
    Ok(())
}

fn read(source: &str) -> Parsed<Draft> {
    let mut parts = source.split(PROGRAM);
    let directives = parts.next().unwrap_or_default();
    let program = |text: &str| -> Parsed<Program> {
        text::parse(text).map(|parsed| parsed.program).map_err(|errors| errors[0].to_string())
    };
    let mut draft = Draft::new(parts.map(program).collect::<Parsed<_>>()?, 0);
    if draft.shader(Stage::Vertex).is_none() {
        return Err("there is no vertex program".into());
    }
    for (number, text) in (1..).zip(directives.lines()) {
        let Some(directive) = text.trim().strip_prefix(MARK) else { continue };
        read_line(&mut draft, directive).map_err(|error| format!("line {number}: {error}"))?;
    }
    if draft.vertices == 0 {
        return Err(format!("there is no `{MARK}agree: --vertices N` line"));
    }
    if !draft.inputs.is_empty() {
        draft.inputs.resize((draft.vertices * INPUTS) as usize, 0);
    }
    Ok(draft)
}

fn read_line(draft: &mut Draft, directive: &str) -> Parsed<()> {
    let (name, value) = directive.split_once(": ").ok_or("write NAME: VALUE")?;
    if let Some(vertex) = name.strip_prefix("vertex ") {
        let (at, words) = (one::<u32>(vertex)?, several::<u32, { INPUTS as usize }>(value, ',', dword)?);
        if at >= MOST.0 {
            return Err(format!("more than {} vertices", MOST.0));
        }
        let at = (at * INPUTS) as usize;
        draft.inputs.resize(draft.inputs.len().max(at + words.len()), 0);
        draft.inputs[at..at + words.len()].copy_from_slice(&words);
        return Ok(());
    }
    if name != "agree" {
        return Err(format!("unknown directive `{name}`"));
    }
    for (option, value) in options(value, &["--point-mode", "--clockwise"])? {
        match option {
            "--vertices" => draft.vertices = one::<u32>(value)?.min(MOST.0),
            "--first" => draft.first = one(value)?,
            "--instances" => draft.instances = one::<u32>(value)?.min(MOST.1),
            "--step-limit" => draft.step_limit = one::<u64>(value)?.min(MOST.2),
            "--patch-vertices" => draft.patch_vertices = one(value)?,
            "--primitive" => {
                let found = Primitive::ALL.iter().find(|primitive| primitive.name() == value);
                draft.primitive = *found.ok_or_else(|| format!("unknown primitive `{value}`"))?;
            }
            "--mode" => draft.mode = one_of(value, &[Mode::Strict, Mode::Lenient])?,
            "--domain" => {
                draft.tessellator.domain =
                    one_of(value, &[TessDomain::Triangles, TessDomain::Quads, TessDomain::Isolines])?;
            }
            "--spacing" => {
                draft.tessellator.spacing =
                    one_of(value, &[Spacing::Equal, Spacing::FractionalOdd, Spacing::FractionalEven])?;
            }
            "--point-mode" => draft.tessellator.point_mode = true,
            "--clockwise" => draft.tessellator.clockwise = true,
            "--capture" => {
                let [address, words] = several(value, ':', dword)?;
                draft.capture.push(Capture { address, words });
            }
            _ => return Err(format!("unknown option `{option}`")),
        }
    }
    Ok(())
}

/// The file of a draw.
pub fn print(draft: &Draft) -> String {
    let Draft { primitive, patch_vertices, first, vertices, instances, tessellator, mode, step_limit, .. } = draft;
    let (domain, spacing) = (tessellator.domain, tessellator.spacing);
    let mut file = format!(
        "{MARK}agree: --vertices {vertices} --first {first} --instances {instances} --primitive {} --mode {mode:?} \
         --step-limit {step_limit} --patch-vertices {patch_vertices} --domain {domain:?} --spacing {spacing:?}",
        primitive.name()
    );
    for (flag, _) in
        [("point-mode", tessellator.point_mode), ("clockwise", tessellator.clockwise)].iter().filter(|(_, set)| *set)
    {
        write!(file, " --{flag}").expect("a string takes everything");
    }
    for Capture { address, words } in &draft.capture {
        write!(file, " --capture {address:#x}:{words}").expect("a string takes everything");
    }
    file.push('\n');
    for (number, words) in draft.inputs.chunks(INPUTS as usize).enumerate() {
        let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
        writeln!(file, "{MARK}vertex {number}: {}", words.join(",")).expect("a string takes everything");
    }
    for program in &draft.programs {
        file += PROGRAM;
        file += &text::print_program(program);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::{print, read};
    use crate::random::Random;
    use crate::sm50::jobs::{DrawKind, draft};

    #[test]
    fn draws_read_back() {
        for (seed, kind) in (0..12).flat_map(|seed| DrawKind::ALL.map(|kind| (seed, kind))) {
            let (draft, _) = draft(kind, Random::new(seed));
            let file = print(&draft);
            let again = read(&file).unwrap_or_else(|error| panic!("{kind:?}, seed {seed}: {error}\n{file}"));
            assert_eq!(again, draft, "{kind:?}, seed {seed}\n{file}");
        }
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let program = "//; program:\n.stage vertex\nEXIT;\n";
        for (text, expected) in [
            ("", "no vertex program"),
            (program, "--vertices"),
            (&format!("//; agree: --vertices\n{program}"), "needs a value"),
            (&format!("//; vertex 1: 0x1\n{program}"), "16 values"),
            (&format!("//; agree: --primitive circle\n{program}"), "unknown primitive"),
            (&format!("//; agree: --vertices 1\n{program}FROB;\n"), "FROB"),
        ] {
            let error = read(text).err().unwrap_or_default();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
