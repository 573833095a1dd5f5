//! What debuggers are told of the variables of a source.

use ctm_compile::{Compiled, Language, LocationSource, Options, Variable, compile};

const TEXT: &str = "\
uniform float speed;
float tri(float x) {
    float part = fract(x * speed);
    return abs(part - 0.5) * 2.0;
}
void main() {
    vec2 p = gl_FragCoord.xy / 8.0;
    bool inside = dot(p, p) < 2.0;
    float sum = 0.0;
    for (int i = 0; i < 40; i++) {
        float step = tri(p.x + float(i)) * p.y;
        sum = sum * 0.5 + step;
        if (sum > 3.0) break;
    }
    vec3 color = inside ? vec3(sum, p) : vec3(p, sum);
    gl_FragColor = vec4(color, 1.0);
}
";

const WGSL: &str = "\
@group(0) @binding(0) var<uniform> speed: f32;
fn tri(x: f32) -> f32 {
    let part = fract(x * speed);
    return abs(part - 0.5) * 2.0;
}
@fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
    var sum = 0.0;
    for (var i = 0; i < 40; i++) {
        let step = tri(uv.x + f32(i)) * uv.y;
        sum = sum * 0.5 + step;
        if (sum > 3.0) { break; }
    }
    return vec4f(sum, uv, 1.0);
}
";

fn compiled(text: &str, language: Language, variables: bool) -> Compiled {
    compile(text, language, &Options { variables, ..Options::default() }).unwrap()
}

/// The part of a variable with a name.
fn part<'c>(compiled: &'c Compiled, name: &str) -> &'c Variable {
    let name_of = |variable: &Variable| match variable.part.channel {
        Some(channel) => format!("{}.{channel}", variable.part.name),
        None => variable.part.name.clone(),
    };
    compiled.variables.iter().find(|variable| name_of(variable) == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Names change nothing of a program.
#[test]
fn the_program_is_the_same() {
    for (text, language) in [(TEXT, Language::Glsl), (WGSL, Language::Wgsl)] {
        let (with, without) = (compiled(text, language, true), compiled(text, language, false));
        assert_eq!(with.program, without.program);
        assert_eq!(with.lines, without.lines);
        assert!(without.variables.is_empty());
    }
}

/// Variables are where the program keeps them, and carried ones stay there while a loop runs.
#[test]
fn variables_are_in_registers() {
    for (text, language, names) in [
        (TEXT, Language::Glsl, &["p.x", "p.y", "inside", "sum", "i", "part"][..]),
        (WGSL, Language::Wgsl, &["uv.x", "sum", "i", "part"]),
    ] {
        let compiled = compiled(text, language, true);
        println!("lines {:?}", compiled.lines);
        for variable in &compiled.variables {
            println!(
                "{} {:?} {:?} {:?}",
                variable.part.name, variable.part.channel, variable.part.lines, variable.places
            );
        }
        for name in names {
            let registers = part(&compiled, name)
                .places
                .iter()
                .filter(|(_, at)| matches!(at.source, LocationSource::Register { .. }));
            assert!(registers.count() > 0, "{name}");
        }
        // In front of what follows the sum in the loop.
        let line = text.lines().position(|line| line.contains("> 3.0")).unwrap() as u32 + 1;
        let row = compiled.lines.iter().position(|&of| of == line).unwrap() as u32;
        for name in ["sum", "i"] {
            let here = part(&compiled, name).places.iter().find(|(rows, _)| rows.contains(&row));
            assert!(matches!(here, Some((_, at)) if matches!(at.source, LocationSource::Register { .. })), "{name}");
        }
    }
}

/// Variables belong to the lines of their functions.
#[test]
fn variables_belong_to_functions() {
    let compiled = compiled(TEXT, Language::Glsl, true);
    let of = |name: &str| {
        let part = &part(&compiled, name).part;
        (part.function.clone().unwrap_or_default(), *part.lines.start(), *part.lines.end())
    };
    assert_eq!(of("part"), ("tri".to_owned(), 3, 4));
    assert_eq!(of("color.z"), ("main".to_owned(), 15, 16));
}

/// A number that an optimisation made of a variable is told as such, and what is no more is not told.
#[test]
fn what_the_program_does_not_calculate_is_known_or_is_not_told() {
    let text = "void main() {\n float a = 2.0;\n float b = gl_FragCoord.x * a;\n float unread = b + 1.0;\n gl_FragColor = vec4(b);\n}\n";
    let compiled = compiled(text, Language::Glsl, true);
    let a: Vec<_> = part(&compiled, "a").places.iter().map(|(_, at)| at.source).collect();
    assert_eq!(a.last(), Some(&LocationSource::Number(2.0f32.to_bits())));
    assert!(
        compiled
            .variables
            .iter()
            .filter(|variable| variable.part.name == "unread")
            .all(|variable| { variable.places.iter().all(|(_, at)| matches!(at.source, LocationSource::Number(0))) })
    );
}
