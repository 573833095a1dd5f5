//! A text that somebody types: what it becomes, and what is wrong with it.

use crate::language::Language;
use crate::problem::{Places, Problem, Severity};
use ctm_compile::front::ps;
use ctm_compile::front::{Convention, Interface, UniformKind};
use ctm_compile::{Compiled, Options, Variable, compile, compile_pixel_shader};
use ctm_follow::InstructionPlace;
use ctm_gpu::Program;
use ctm_text::{Assembled, Diagnostic, Origin};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Constants that are offered of an R700 program that reads some: its text does not list them.
const R700_CONSTANTS: u8 = 8;

/// A program as it was made of a text.
pub struct ReadProgram {
    /// The program; of a pipeline, its vertex program.
    pub program: Program,
    /// The stages of a pipeline, in the order of the text. The first one is not `program` unless that is a part of a pipeline.
    pub stages: Vec<ctm_sm50::Program>,
    /// What surrounds a shader of GLSL or WGSL.
    pub interface: Option<Interface>,
    /// The forms that a shader of GLSL or WGSL went through.
    pub compiled: Option<Compiled>,
    /// All instructions, in the order of a listing.
    pub listing: Vec<ListedInstruction>,
}

/// An instruction of a listing.
#[derive(Clone, Debug, Serialize)]
pub struct ListedInstruction {
    /// Where it stands, as observers and counts name it.
    #[serde(skip)]
    pub place: InstructionPlace,
    /// Its address as people write it.
    pub address: String,
    /// Its text, with a line for each slot.
    pub text: String,
    /// The line of the source that it comes from, from 1; 0 if it has none.
    pub line: u32,
    /// The stage of a pipeline that it belongs to.
    pub stage: usize,
}

/// What a program does with the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgramKind {
    /// It colours the pixels of a picture.
    Picture,
    /// It computes in threads over memory.
    Compute,
    /// It is a pipeline that makes a wireframe.
    Pipeline,
}

/// A text, examined: what the page shows of it.
#[derive(Clone, Debug, Serialize)]
pub struct Examination {
    /// Whether there is a program.
    pub runs: bool,
    /// What it does.
    pub kind: ProgramKind,
    /// What is wrong, or worth to know.
    pub problems: Vec<Problem>,
    /// Its instructions.
    pub listing: Vec<ListedInstruction>,
    /// Inputs that it reads, with the names that a shader gives them.
    pub inputs: Vec<Input>,
    /// Outputs that it writes.
    pub outputs: Vec<u8>,
    /// Float constants that it reads and that a user may set, with their values in the text.
    pub constants: Vec<Constant>,
    /// Uniforms of a shader.
    pub uniforms: Vec<Uniform>,
    /// Whether row 0 is the lowest of the picture.
    pub bottom_up: bool,
    /// The stages of a pipeline by name.
    pub stages: Vec<&'static str>,
}

/// An input.
#[derive(Clone, Debug, Serialize)]
pub struct Input {
    /// Its number.
    pub number: u8,
    /// Its name in the source.
    pub name: Option<String>,
}

/// A float constant.
#[derive(Clone, Debug, Serialize)]
pub struct Constant {
    /// Its number.
    pub number: u8,
    /// The value that the text gives it.
    pub value: [f32; 4],
    /// Whether the text gives it a value.
    pub given: bool,
}

/// A uniform.
#[derive(Clone, Debug, Serialize)]
pub struct Uniform {
    /// Its name.
    pub name: String,
    /// The type of its numbers: `float`, `int`, `uint` or `bool`.
    pub kind: &'static str,
    /// Columns of a matrix, else 1.
    pub columns: u8,
    /// Channels of a column.
    pub rows: u8,
    /// Elements, 1 if it is not an array.
    pub elements: u32,
    /// The value that the source gives it; empty if none.
    pub default: Vec<f32>,
    /// Whether its name has a meaning, such as a time, so that nobody has to set it.
    pub known: bool,
}

/// What came of a text: a source if it is a program, and what is to be said about it.
pub struct ReadText {
    /// The program.
    pub source: Option<ReadProgram>,
    /// What the page shows.
    pub examined: Examination,
}

/// Where the variables of a text are while its program runs, if it is a shader of GLSL or WGSL.
pub fn variables(language: Language, text: &str) -> Vec<Variable> {
    let options = Options { variables: true, ..Options::default() };
    let shading = match language {
        Language::Glsl => ctm_compile::Language::Glsl,
        Language::Wgsl => ctm_compile::Language::Wgsl,
        Language::X1k | Language::R700 | Language::Sm50 | Language::Ps => return Vec::new(),
    };
    compile(text, shading, &options).map(|compiled| compiled.variables).unwrap_or_default()
}

/// Reads a text of a language.
pub fn read(language: Language, text: &str) -> ReadText {
    let places = Places::new(text);
    match language {
        Language::X1k => assembled(&places, ctm_x1k::text::parse(text), |program, origins: Vec<Origin>| {
            (program.into(), by_address(&origins, |at| at as u32))
        }),
        Language::R700 => assembled(&places, ctm_r700::text::parse(text), |program, origins| (program.into(), origins)),
        Language::Sm50 => match split(text) {
            parts if parts.len() > 1 => read_stages(text, &parts),
            _ => assembled(&places, ctm_sm50::text::parse(text), |program, origins: Vec<Origin>| {
                (program.into(), by_address(&origins, ctm_sm50::Code::address))
            }),
        },
        Language::Glsl => shader(&places, text, ctm_compile::Language::Glsl),
        Language::Wgsl => shader(&places, text, ctm_compile::Language::Wgsl),
        Language::Ps => {
            match compile_pixel_shader("shader", text, ps::Options { scaled: true, ..ps::Options::default() }) {
                Ok(compiled) => {
                    let problems = compiled.warnings.iter().map(|warning| places.problem(warning)).collect();
                    made(&places, compiled.compiled.program.into(), &lines(&compiled.compiled.lines), problems, None)
                }
                Err(diagnostics) => refused(diagnostics.iter().map(|one| places.problem(one)).collect()),
            }
        }
    }
}

/// Where instructions stand in a text, by their addresses.
type Origins = BTreeMap<u32, Origin>;

fn by_address(origins: &[Origin], address: impl Fn(usize) -> u32) -> Origins {
    origins.iter().enumerate().map(|(at, origin)| (address(at), origin.clone())).collect()
}

fn assembled<P, O>(
    places: &Places,
    result: Result<Assembled<P, O>, Vec<Diagnostic>>,
    unpack: impl FnOnce(P, O) -> (Program, Origins),
) -> ReadText {
    match result {
        Ok(Assembled { program, origins, warnings }) => {
            let problems = warnings.iter().map(|warning| places.problem(warning)).collect();
            let (program, origins) = unpack(program, origins);
            let line = |(&at, origin): (&u32, &Origin)| (at, places.line_of(origin.span.start));
            made(places, program, &origins.iter().map(line).collect(), problems, None)
        }
        Err(diagnostics) => refused(diagnostics.iter().map(|one| places.problem(one)).collect()),
    }
}

fn lines(lines: &[u32]) -> BTreeMap<u32, u32> {
    lines.iter().enumerate().map(|(at, &line)| (at as u32, line)).collect()
}

fn shader(places: &Places, text: &str, language: ctm_compile::Language) -> ReadText {
    match compile(text, language, &Options::default()) {
        Ok(compiled) => {
            let lines = lines(&compiled.lines);
            made(places, compiled.program.clone().into(), &lines, Vec::new(), Some(compiled))
        }
        Err(error) => {
            let units = places.units(places.line(error.line(), error.column()));
            refused(vec![Problem {
                from: units.start,
                to: units.end,
                severity: Severity::Error,
                code: "compile".to_owned(),
                message: error.to_string(),
                help: None,
            }])
        }
    }
}

/// What is known of a text that is not a program.
fn refused(problems: Vec<Problem>) -> ReadText {
    let examined = Examination {
        runs: false,
        kind: ProgramKind::Picture,
        problems,
        listing: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        constants: Vec::new(),
        uniforms: Vec::new(),
        bottom_up: false,
        stages: Vec::new(),
    };
    ReadText { source: None, examined }
}

/// The instructions of a program with the lines that they come from.
fn listing(program: &Program, lines: &BTreeMap<u32, u32>, stage: usize) -> Vec<ListedInstruction> {
    let listed = |(place, text): (InstructionPlace, String)| {
        let at = place.at.pc;
        let address = match program {
            Program::Sm50(_) => format!("{at:#06x}"),
            Program::X1k(_) | Program::R700(_) | Program::Pvs(_) => at.to_string(),
        };
        ListedInstruction { place, address, text, line: lines.get(&at).copied().unwrap_or(0), stage }
    };
    program.listing().into_iter().map(listed).collect()
}

/// What checks find in a program, at the lines of its instructions.
fn findings(places: &Places, program: &Program, lines: &BTreeMap<u32, u32>) -> Vec<Problem> {
    let problem = |finding: ctm_gpu::Finding| {
        // SM50 counts instructions, the others have addresses.
        let address = finding.address.map(|at| match program {
            Program::Sm50(_) => ctm_sm50::Code::address(at as usize),
            Program::X1k(_) | Program::R700(_) | Program::Pvs(_) => at,
        });
        let line = address.and_then(|at| lines.get(&at)).copied().unwrap_or(0);
        let units = places.units(places.line(line, 0));
        let (code, help) = (finding.code.to_owned(), Some(finding.help).filter(|help| !help.is_empty()));
        Problem {
            from: units.start,
            to: units.end,
            severity: finding.severity.into(),
            code,
            message: finding.message,
            help,
        }
    };
    program.check().into_iter().map(problem).collect()
}

fn made(
    places: &Places,
    program: Program,
    lines: &BTreeMap<u32, u32>,
    mut problems: Vec<Problem>,
    compiled: Option<Compiled>,
) -> ReadText {
    // Checks are for programs that people write: a compiler has no line to change.
    if compiled.is_none() {
        problems.extend(findings(places, &program, lines));
    }
    let listing = listing(&program, lines, 0);
    let interface = compiled.as_ref().map(|compiled| compiled.interface.clone());
    let kind = match &program {
        Program::X1k(_) | Program::R700(_) | Program::Pvs(_) => ProgramKind::Picture,
        Program::Sm50(program) if program.header.is_none() => ProgramKind::Compute,
        Program::Sm50(_) => ProgramKind::Pipeline,
    };
    let stages = match &program {
        Program::Sm50(program) if program.header.is_some() => vec![program.clone()],
        Program::X1k(_) | Program::R700(_) | Program::Sm50(_) | Program::Pvs(_) => Vec::new(),
    };
    let examined = Examination {
        runs: true,
        kind,
        problems,
        listing: listing.clone(),
        inputs: inputs(&program, interface.as_ref()),
        outputs: program.outputs(),
        constants: constants(&program, interface.as_ref()),
        uniforms: interface.iter().flat_map(|interface| &interface.uniforms).map(uniform).collect(),
        bottom_up: interface.as_ref().is_some_and(|interface| interface.is_bottom_up),
        stages: stages.iter().filter_map(|stage| Some(stage.header?.stage.name())).collect(),
    };
    ReadText { source: Some(ReadProgram { program, stages, interface, compiled, listing }), examined }
}

fn inputs(program: &Program, interface: Option<&Interface>) -> Vec<Input> {
    let name = |number| {
        let texture = interface?.textures.iter().find(|texture| texture.unit == number)?;
        Some(texture.name.clone())
    };
    program.inputs().into_iter().map(|number| Input { number, name: name(number) }).collect()
}

/// The float constants of an assembly program. A shader has uniforms instead.
fn constants(program: &Program, interface: Option<&Interface>) -> Vec<Constant> {
    if interface.is_some() {
        return Vec::new();
    }
    match program {
        Program::X1k(program) => {
            let mut numbers = program.references.float_constants.clone();
            numbers.extend(program.constants.floats.keys());
            let constant = |number| {
                let given = program.constants.floats.get(&number);
                let value = given.copied().unwrap_or_default().map(f32::from_bits);
                Constant { number, value, given: given.is_some() }
            };
            numbers.into_iter().map(constant).collect()
        }
        Program::R700(program) => {
            let count = if ctm_r700::Uses::of(program).constant_file { R700_CONSTANTS } else { 0 };
            (0..count).map(|number| Constant { number, value: [0.0; 4], given: false }).collect()
        }
        Program::Sm50(_) | Program::Pvs(_) => Vec::new(),
    }
}

fn uniform(uniform: &ctm_compile::front::Uniform) -> Uniform {
    Uniform {
        name: uniform.name.clone(),
        kind: match uniform.kind {
            UniformKind::Float => "float",
            UniformKind::Int => "int",
            UniformKind::Uint => "uint",
            UniformKind::Bool => "bool",
        },
        columns: uniform.columns,
        rows: uniform.rows,
        elements: uniform.elements.unwrap_or(1),
        default: uniform.default.clone(),
        known: Convention::of(uniform).is_some(),
    }
}

/// The parts of a text, one for each line that begins with `.stage`; what comes before the first belongs to it. One part if there is no
/// such line.
fn split(text: &str) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with(".stage") && !line.trim_start().starts_with(".stages") {
            starts.push(at);
        }
        at += line.len();
    }
    if let Some(first) = starts.first_mut() {
        *first = 0;
    } else {
        starts.push(0);
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
}

/// Reads the stages of a pipeline.
fn read_stages(text: &str, parts: &[Range<usize>]) -> ReadText {
    let places = Places::new(text);
    let (mut problems, mut list, mut stages) = (Vec::new(), Vec::new(), Vec::new());
    for (number, part) in parts.iter().enumerate() {
        // Everything else becomes blanks, so that places in the part are places in the text.
        let blank = |text: &str| text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect::<String>();
        let alone = blank(&text[..part.start]) + &text[part.clone()];
        match ctm_sm50::text::parse(&alone) {
            Ok(assembled) => {
                problems.extend(assembled.warnings.iter().map(|warning| places.problem(warning)));
                let lines: BTreeMap<u32, u32> = (assembled.origins.iter().enumerate())
                    .map(|(index, origin)| (ctm_sm50::Code::address(index), places.line_of(origin.span.start)))
                    .collect();
                let program = Program::from(assembled.program.clone());
                problems.extend(findings(&places, &program, &lines));
                list.extend(listing(&program, &lines, number));
                stages.push(assembled.program);
            }
            Err(diagnostics) => problems.extend(diagnostics.iter().map(|one| places.problem(one))),
        }
    }
    if problems.iter().any(|problem| problem.severity == Severity::Error) && stages.len() < parts.len() {
        return ReadText { source: None, examined: refused(problems).examined };
    }
    let mut examined = refused(problems).examined;
    examined.runs = true;
    examined.kind = ProgramKind::Pipeline;
    examined.listing = list.clone();
    examined.stages = stages.iter().filter_map(|stage| Some(stage.header?.stage.name())).collect();
    let program = stages.first().cloned().unwrap_or_default().into();
    ReadText { source: Some(ReadProgram { program, stages, interface: None, compiled: None, listing: list }), examined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_begin_at_their_directive() {
        let text = "// a\n.stage vertex\nEXIT;\n // b\n.stage geometry\nEXIT;\n";
        let parts = split(text);
        assert_eq!(parts.len(), 2);
        assert!(text[parts[0].clone()].ends_with("// b\n") && text[parts[1].clone()].starts_with(".stage geometry"));
        assert_eq!(split("EXIT;"), std::slice::from_ref(&(0..5)));
    }

    #[test]
    fn problems_stand_where_they_are_in_the_whole_text() {
        let text = ".stage vertex\nEXIT;\n.stage geometry\nEXOT;\n";
        let read = read_stages(text, &split(text));
        assert!(read.source.is_none());
        let problem = &read.examined.problems[0];
        assert_eq!(&text[problem.from..problem.to], "EXOT");
    }
}
