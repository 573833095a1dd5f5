//! Languages of texts that programs are made of: their names, and how to tell them apart by what is in a text.
//!
//! A text is recognised by its lines. Each line, without comments, speaks for one language or for none; the language that most
//! lines speak for is that of the text, if more than half of those that speak at all do. So one wrong line changes nothing.

use super::Format;
use std::fmt;
use std::path::Path;

/// A language that programs are assembled or compiled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Assembly of X1K.
    X1k,
    /// Assembly of R700.
    R700,
    /// Assembly of SM50.
    Sm50,
    /// Assembly of PVS, the vertex programs of R3xx to R5xx.
    Pvs,
    /// Command buffers of the CTM device.
    Commands,
    /// GLSL.
    Glsl,
    /// WGSL.
    Wgsl,
    /// Assembly text of Direct3D 9 pixel shaders.
    PixelShader,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 8] = [
        Language::X1k,
        Language::R700,
        Language::Sm50,
        Language::Pvs,
        Language::Commands,
        Language::Glsl,
        Language::Wgsl,
        Language::PixelShader,
    ];

    /// Its name in a word, as options take it.
    pub const fn name(self) -> &'static str {
        match self {
            Language::X1k => "x1k",
            Language::R700 => "r700",
            Language::Sm50 => "sm50",
            Language::Pvs => "pvs",
            Language::Commands => "ctm",
            Language::Glsl => "glsl",
            Language::Wgsl => "wgsl",
            Language::PixelShader => "ps",
        }
    }

    /// How the names of its texts end, after the dot.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Language::X1k => &["x1k"],
            Language::R700 => &["r700"],
            Language::Sm50 => &["sm50"],
            Language::Pvs => &["pvs"],
            Language::Commands => &["ctmcb"],
            Language::Glsl => &["frag", "glsl", "fs", "fsh"],
            Language::Wgsl => &["wgsl"],
            Language::PixelShader => &["ps", "psh"],
        }
    }

    /// The language that the ending of a file's name stands for.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        Language::ALL.into_iter().find(|language| language.endings().contains(&ending))
    }

    /// Whether other languages use the ending of this name too, so that what is in the file decides first.
    pub fn shares_name(path: &Path) -> bool {
        path.extension().is_some_and(|ending| ["ps", "psh", "fs"].iter().any(|shared| ending == *shared))
    }

    /// Whether it is compiled, and not assembled.
    pub const fn is_compiled(self) -> bool {
        matches!(self, Language::Glsl | Language::Wgsl | Language::PixelShader)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::X1k => "assembly of X1K",
            Language::R700 => "assembly of R700",
            Language::Sm50 => "assembly of SM50",
            Language::Pvs => "assembly of PVS",
            Language::Commands => "the text of a CTM command buffer",
            Language::Glsl => "GLSL",
            Language::Wgsl => "WGSL",
            Language::PixelShader => "the text of a Direct3D 9 pixel shader",
        })
    }
}

/// What a line speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    /// A language of programs.
    Language(Language),
    /// A format that is not loaded.
    Format(Format),
    /// A listing of SM50, with addresses or control bits as other tools write them.
    SassListing,
}

/// Lines that are looked at: so many show any language.
const MOST_LINES: usize = 2000;
/// Bytes of a line that are looked at.
const LONGEST_LINE: usize = 400;

/// What a text is, if its lines say it.
pub(super) fn recognise(text: &str) -> Option<Spoken> {
    let mut votes: Vec<(Spoken, usize)> = Vec::new();
    let mut lines = Lines { text, in_comment: false };
    let mut is_first = true;
    for _ in 0..MOST_LINES {
        let Some(line) = lines.next() else { break };
        if line.is_empty() {
            continue;
        }
        if is_first && let Some(spoken) = of_first_line(&line) {
            return Some(spoken);
        }
        is_first = false;
        if let Some(spoken) = of_line(&line) {
            match votes.iter_mut().find(|(known, _)| *known == spoken) {
                Some((_, count)) => *count += 1,
                None => votes.push((spoken, 1)),
            }
        }
    }
    let total: usize = votes.iter().map(|(_, count)| count).sum();
    let (most, count) = votes.into_iter().max_by_key(|(_, count)| *count)?;
    (2 * count > total).then_some(most)
}

/// Lines without comments of C, and without blanks around them.
struct Lines<'t> {
    text: &'t str,
    in_comment: bool,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<String> {
        if self.text.is_empty() {
            return None;
        }
        let (line, rest) = self.text.split_once('\n').unwrap_or((self.text, ""));
        self.text = rest;
        let end = line.char_indices().map(|(at, _)| at).find(|&at| at >= LONGEST_LINE).unwrap_or(line.len());
        let mut left = &line[..end];
        let mut code = String::new();
        while !left.is_empty() {
            if self.in_comment {
                let Some((_, after)) = left.split_once("*/") else { break };
                (self.in_comment, left) = (false, after);
            } else if let Some((before, after)) = left.split_once("/*") {
                code += before;
                // Addresses and words of listings stand in comments; they are what shows one.
                if after.trim_start().starts_with("0x") || after.starts_with(|first: char| first.is_ascii_digit()) {
                    code += "/*";
                    left = after;
                    let Some((inside, after)) = left.split_once("*/") else { break };
                    code += inside;
                    code += "*/";
                    left = after;
                } else {
                    (self.in_comment, left) = (true, after);
                }
            } else {
                code += left;
                break;
            }
        }
        let code = code.split("//").next().unwrap_or_default();
        let code = code[..dashes(code)].trim();
        Some(if code.starts_with([';', '#']) && !is_directive(code) { String::new() } else { code.to_owned() })
    }
}

/// Where a comment that begins with two dashes begins; dashes stand in control bits too, `[B------:R-:W-:-:S06]` and `--:-:-:-:1`.
fn dashes(code: &str) -> usize {
    if is_maxas_control(code) {
        return code.len();
    }
    let mut places = code.match_indices("--").map(|(at, _)| at);
    places.find(|&at| at == 0 || code[..at].ends_with([' ', '\t'])).unwrap_or(code.len())
}

/// Directives of C's preprocessor, and the first line of SPIR-V's text, which are not comments.
fn is_directive(line: &str) -> bool {
    line.starts_with("; SPIR-V")
        || ["#version", "#include", "#define", "#extension", "#ifdef", "#if ", "#pragma"]
            .iter()
            .any(|directive| line.starts_with(directive))
}

/// Control bits as maxas writes them: `--:-:-:Y:6`, `01:-:1:-:2`.
pub(super) fn is_maxas_control(line: &str) -> bool {
    let control = line.split_whitespace().next().unwrap_or_default();
    let parts: Vec<&str> = control.split(':').collect();
    let fits = |part: &&str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|c| c == b'-' || c == b'Y' || c.is_ascii_hexdigit())
    };
    parts.len() == 5 && parts[0].len() == 2 && parts.iter().all(|part| fits(part, 2))
}

/// Control bits as CuAssembler writes them, with a field for operand caches before those that this project has too:
/// `[----:B------:R-:W-:-:S06]`.
fn has_cuassembler_controls(line: &str) -> bool {
    let inside = line.strip_prefix('[').and_then(|line| line.split_once(']'));
    inside.is_some_and(|(inside, _)| inside.split(':').count() == 6 && inside.contains(":B"))
}

/// What the first line with code says for sure.
fn of_first_line(line: &str) -> Option<Spoken> {
    let word = line.split_whitespace().next()?;
    if let Some(pixel) = shader_version(word) {
        return Some(match pixel {
            true => Spoken::Language(Language::PixelShader),
            false => Spoken::Format(Format::Direct3D9Vertex),
        });
    }
    Some(match word {
        "#version" => Spoken::Language(Language::Glsl),
        ";" if line == "; SPIR-V" => Spoken::Format(Format::SpirVText),
        "OpCapability" => Spoken::Format(Format::SpirVText),
        _ if line.starts_with("!!ARB") || line.starts_with("!!NV") => Spoken::Format(Format::ArbAssembly),
        "FRAG" | "VERT" | "GEOM" | "COMP" | "TESS_CTRL" | "TESS_EVAL" if line == word => Spoken::Format(Format::Tgsi),
        _ => return None,
    })
}

/// `ps_2_0`, `ps.1.1`, `vs_3_sw`: whether it is a pixel shader.
fn shader_version(word: &str) -> Option<bool> {
    let word = word.to_ascii_lowercase();
    let (kind, version) = word.split_at_checked(2)?;
    let mut parts = version.strip_prefix(['_', '.'])?.split(['_', '.']);
    let major = parts.next()?;
    let minor = parts.next()?;
    let is_version = major.len() == 1
        && major.as_bytes()[0].is_ascii_digit()
        && (minor.len() == 1 || minor == "sw")
        && parts.next().is_none();
    (is_version && (kind == "ps" || kind == "vs")).then_some(kind == "ps")
}

fn of_line(line: &str) -> Option<Spoken> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| line.starts_with(prefix));
    let has = |parts: &[&str]| parts.iter().any(|part| line.contains(part));
    if is_listing(line) {
        return Some(Spoken::SassListing);
    }
    if starts(&["define ", "declare ", "target triple", "target datalayout", "source_filename"]) {
        return Some(Spoken::Format(Format::LlvmText));
    }
    if starts(&[
        ".version ",
        ".target sm_",
        ".address_size",
        ".visible .entry",
        ".entry ",
        "ld.param",
        "st.global",
        "ret;",
    ]) {
        return Some(Spoken::Format(Format::Ptx));
    }
    if has(&["metal_stdlib", "using namespace metal", "[[buffer(", "[[position]]", "[[stage_in]]"]) {
        return Some(Spoken::Format(Format::Msl));
    }
    if has(&["SV_Target", "SV_POSITION", "SV_Position", ": register(", ": COLOR", ": TEXCOORD", ": POSITION"])
        || starts(&["cbuffer ", "float4 ", "float3 ", "float2 ", "Texture2D", "SamplerState", "half4 "])
    {
        return Some(Spoken::Format(Format::Hlsl));
    }
    if starts(&["v_", "s_endpgm", "s_waitcnt", "s_load_", "buffer_", "image_sample", "s_mov_b", "exp mrt"])
        && line.split_whitespace().count() > usize::from(!line.starts_with("s_endpgm"))
        && !line.contains('=')
    {
        return Some(Spoken::Format(Format::GcnText));
    }
    let language = machine_line(line).or_else(|| shading_line(&starts, &has))?;
    Some(Spoken::Language(language))
}

/// `/*0008*/ MOV R1, c[0x0][0x20] ; /* 0x4c98078000870001 */`, `.headerflags`, maxas's control bits.
fn is_listing(line: &str) -> bool {
    let word_comment = |line: &str| {
        let inside = line.trim_end().strip_suffix("*/").and_then(|line| line.rsplit_once("/*"));
        inside.is_some_and(|(_, inside)| {
            let digits = inside.trim().strip_prefix("0x").unwrap_or_default();
            digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
    };
    let address = |line: &str| {
        let inside = line.split_once("/*").and_then(|(before, rest)| Some((before, rest.split_once("*/")?.0)));
        inside.is_some_and(|(before, inside)| {
            (before.trim().is_empty() || before.trim_start().starts_with('['))
                && inside.len() >= 4
                && inside.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
    };
    word_comment(line)
        || address(line)
        || is_maxas_control(line)
        || has_cuassembler_controls(line)
        || line.starts_with(".headerflags")
        || line.starts_with("code for sm_")
        || line.starts_with("Function :")
}

/// The assembly that a line is of.
fn machine_line(line: &str) -> Option<Language> {
    if has_x1k_operand(line) {
        return Some(Language::X1k);
    }
    let words = || line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    if words().any(|word| word.starts_with("VE_") || word.starts_with("ME_")) {
        return Some(Language::Pvs);
    }
    let first = line.split_whitespace().next()?;
    if COMMANDS.iter().any(|prefix| first.starts_with(prefix)) && words().next() == Some(first) {
        return Some(Language::Commands);
    }
    if is_r700_line(line) {
        return Some(Language::R700);
    }
    is_sm50_line(line).then_some(Language::Sm50)
}

/// How commands of the CTM device begin.
const COMMANDS: [&str; 6] = ["set_inst_fmt", "set_inp_fmt", "set_out_fmt", "set_const", "set_domain", "start_program"];

/// A source or register that only this language spells so: `src0.rgb`, `temp[1].r`, `out[0].a`, `tex[0].rgba`, `OUT LAST : ;`
fn has_x1k_operand(line: &str) -> bool {
    let follows = |name: &str, letters: &[u8]| {
        line.match_indices(name).any(|(at, _)| {
            let rest = &line[at + name.len()..];
            let rest = match rest.strip_prefix('[') {
                Some(inside) => inside.split_once(']').map_or("", |(_, rest)| rest),
                None => rest,
            };
            rest.strip_prefix('.').and_then(|rest| rest.bytes().next()).is_some_and(|c| letters.contains(&c))
        })
    };
    ["src0", "src1", "src2", "srcp"].iter().any(|name| follows(name, b"rgba01h_"))
        || ["temp", "out", "tex"].iter().any(|name| follows(name, b"rgba"))
        || (line.starts_with("OUT ") || line.starts_with("ALU ") || line.starts_with("TEX ")) && line.ends_with(": ;")
        || ["LOOP i[", "REP i[", "ENDLOOP", "ENDREP", "ELSE;", "ENDIF;"].iter().any(|begin| line.starts_with(begin))
}

/// `00 ALU: ADDR(2)`, `x: MOV R1.x, R0.x`, `01 EXP_DONE: PIX0, R0`, `END_OF_PROGRAM`.
fn is_r700_line(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.starts_with([' ', '\t']);
    let rest = rest.trim_start();
    let word_end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(word_end);
    let is_upper = word.len() > 1 && word.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_');
    let is_clause = matches!(
        word,
        "ALU"
            | "ALU_PUSH_BEFORE"
            | "ALU_POP_AFTER"
            | "ALU_POP2_AFTER"
            | "ALU_ELSE_AFTER"
            | "ALU_BREAK"
            | "TEX"
            | "VTX"
            | "VTX_TC"
            | "EXP"
            | "EXP_DONE"
            | "EXPORT"
            | "EXPORT_DONE"
            | "MEM_RING"
            | "MEM_SCRATCH"
    );
    let operation = after.strip_prefix(':').map(str::trim_start);
    let is_unit = matches!(word, "x" | "y" | "z" | "w" | "t")
        && operation.is_some_and(|operation| operation.starts_with(|c: char| c.is_ascii_uppercase()));
    line == "END_OF_PROGRAM"
        || line == "CALL_FS"
        || is_unit
        || is_clause && after.starts_with(':')
        || is_numbered && is_upper && word.bytes().next().is_some_and(|c| c.is_ascii_uppercase())
}

/// `@P0 FADD.FTZ R0, R1, c[0x0][0x140];`, `[B------:R-:W-:-:S06] MOV R0, R1;`, `.stage vertex`.
fn is_sm50_line(line: &str) -> bool {
    let line = line.strip_prefix('[').and_then(|line| line.split_once(']')).map_or(line, |(_, line)| line).trim_start();
    let line = line.strip_prefix('{').unwrap_or(line).trim_start();
    let guarded = line.strip_prefix('@').map(|line| line.trim_start_matches('!'));
    let has_guard = guarded.is_some_and(|line| line.starts_with('P'));
    let line = match guarded {
        Some(guarded) => guarded.split_once([' ', '\t']).map_or("", |(_, line)| line.trim_start()),
        None => line,
    };
    if line == ".stage tess_init" || line == ".stage tessellation" {
        return true;
    }
    let end = line.find([' ', '\t', ';', ',', '[']).unwrap_or(line.len());
    let (name, operands) = line.split_at(end);
    let first = name.split('.').next().unwrap_or_default();
    let is_upper = name.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, b'.' | b'_'));
    let is_known = is_upper && ctm_sm50::ROWS.iter().any(|row| row.name.split('.').next() == Some(first));
    let operands = operands.trim().trim_end_matches(['}', ';', ' ']);
    let operand = operands.trim_start_matches(['-', '|', '~', '!', '[']);
    let is_register = operand.starts_with(['R', 'P', 'a', 'c', 'S'])
        && operand[1..].starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'Z' | 'T' | '[' | 'R' | 'B'));
    // Names such as MOV are those of other languages too, so that an operand decides.
    is_known && (is_register || has_guard || matches!(first, "EXIT" | "BRA" | "SSY" | "SYNC" | "BRK" | "PBK" | "RET"))
}

/// The shading language that a line is of.
fn shading_line(starts: &impl Fn(&[&str]) -> bool, has: &impl Fn(&[&str]) -> bool) -> Option<Language> {
    let is_wgsl =
        starts(&["@fragment", "@vertex", "@compute", "@group(", "@binding(", "fn ", "enable f16", "var<", "let "])
            || has(&[
                "-> @location",
                "@builtin(",
                "vec4<f32>",
                "vec3<f32>",
                "vec2<f32>",
                ": vec4f",
                ": vec2f",
                ": f32",
            ]);
    if is_wgsl {
        return Some(Language::Wgsl);
    }
    let is_glsl = starts(&[
        "precision ",
        "uniform ",
        "varying ",
        "attribute ",
        "layout(",
        "layout (",
        "in vec",
        "out vec",
        "flat in ",
        "void main",
        "void mainImage",
        "vec2 ",
        "vec3 ",
        "vec4 ",
        "mat2 ",
        "mat3 ",
        "mat4 ",
        "const vec",
        "#extension GL_",
    ]) || has(&["gl_Frag", "gl_Position", "texture2D(", "sampler2D", "vec4(", "vec3(", "vec2("]);
    is_glsl.then_some(Language::Glsl)
}
