//! The suite of shaders: what the compiler makes of the sources gives llvmpipe's pictures.

use ctm_compile::Compiled;
use ctm_compile::ir::verify;
use ctm_engine::Executor;
use ctm_testkit::shaders::compiled::{compile, job};
use ctm_testkit::shaders::{Environment, Language, Shader, function};
use ctm_testkit::{engines, untimed};
use ctm_x1k::check::{Finding, Severity, check};
use ctm_x1k::{Domain, Instruction, Job};

/// The suite's shaders in both languages, and the kernels.
fn shaders() -> Vec<Shader> {
    let mut shaders = Shader::suite(Language::Glsl);
    shaders.extend(Shader::suite(Language::Wgsl));
    shaders.extend(Shader::kernels());
    shaders
}

/// The quad that a pixel is in.
fn quad((i, j): (u32, u32)) -> Domain {
    Domain { i0: i & !1, j0: j & !1, i1: i | 1, j1: j | 1 }
}

fn check_all(check: impl Fn(&Shader) -> Result<(), String>) {
    let shaders = shaders();
    let failures = shaders.iter().filter_map(|shader| {
        let file = shader.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        check(shader).err().map(|error| format!("{file}: {error}"))
    });
    let failures: Vec<_> = failures.collect();
    assert!(failures.is_empty(), "{} of {} shaders:\n{}", failures.len(), shaders.len(), failures.join("\n"));
}

/// What the front ends make, and what the passes make of that, computed by the evaluator.
#[test]
fn functions_give_the_pictures() {
    check_all(|shader| {
        let compiled = compile(shader).map_err(|error| error.to_string())?;
        for (form, function) in [("as read", &compiled.read), ("optimised", &compiled.optimised)] {
            verify(function).map_err(|error| format!("{form}: invalid: {error:?}"))?;
            let made = function::pictures(shader, &compiled.interface, function)?;
            shader.compare(&made).map_err(|error| format!("{form}: {error}"))?;
        }
        Ok(())
    });
}

/// Machine code, by the reference and all engines.
#[test]
fn programs_give_the_pictures() {
    check_all(|shader| {
        let compiled = compile(shader).map_err(|error| error.to_string())?;
        let environment = Environment::new(shader);
        let job = job(&compiled, shader, &environment)?;
        let whole = [job.domain];
        let quads: Vec<Domain> = shader.places().into_iter().map(quad).collect();
        for engine in engines() {
            environment.clear();
            // Of large pictures the reference makes what is compared.
            let is_slow = matches!(engine, Executor::Reference) && shader.size.0 * shader.size.1 > 1 << 14;
            for &domain in if is_slow { &quads[..] } else { &whole } {
                let job = Job { domain, ..job.clone() };
                engine.run(&job, &untimed()).map_err(|error| format!("{}: {error}", engine.name()))?;
            }
            shader.compare(&environment.pictures()).map_err(|error| format!("{}: {error}", engine.name()))?;
        }
        Ok(())
    });
}

/// The checks of programs find nothing to warn of, and the words mean what was made.
#[test]
fn programs_are_legal() {
    check_all(|shader| {
        let Compiled { program, .. } = compile(shader).map_err(|error| error.to_string())?;
        let findings = check(&program);
        let bad = findings.iter().find(|finding| finding.severity != Severity::Note);
        if let Some(Finding { code, pc, message, .. }) = bad {
            return Err(format!("{code:?} at {pc:?}: {message}"));
        }
        let again: Vec<_> = program.code.iter().map(|instruction| Instruction::decode(&instruction.encode())).collect();
        if again == program.code { Ok(()) } else { Err("the words are another program".to_owned()) }
    });
}
