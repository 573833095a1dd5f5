//! Relaxed vectors in the module of the engine, which not all browsers have. The compiler is not told of them, since it would use more of
//! them than the one whose results the interpreter can rely on: their multiply-add, in the place of each call of a function that says so.

use anyhow::{Context, Result, bail, ensure};
use wasmparser::{KnownCustom, Name, Operator, Parser, Payload, Validator, WasmFeatures};

/// What the function is called (`ctm_engine`, `interp/wide/multiply_add.rs`).
const FUNCTION: &str = "relaxed_multiply_add";
/// `f32x4.relaxed_madd`.
const MULTIPLY_ADD: [u8; 3] = [0xFD, 0x85, 0x02];
/// What takes the place of a multiply-add for browsers without relaxed vectors: `nop` and `v128.bitselect`, which has the same operands. The
/// page does the same (`web/src/plain.mjs`).
const PLAIN: [u8; 3] = [NOP, 0xFD, 0x52];
const NOP: u8 = 0x01;

/// Puts multiply-adds in the place of the calls of the function, in a module as the compiler makes it.
///
/// # Errors
/// The module is none, or has not one function of this name.
pub fn replace_calls(module: &mut [u8]) -> Result<()> {
    let function = function(module)?;
    let mut calls = Vec::new();
    each_operator(module, |operator, place, end| {
        if matches!(operator, Operator::Call { function_index } if *function_index == function) {
            calls.push(place..end);
        }
    })?;
    for call in calls {
        let bytes = &mut module[call];
        ensure!(bytes.len() >= MULTIPLY_ADD.len(), "a call of {FUNCTION} is too short for the instruction");
        bytes.fill(NOP);
        bytes[..MULTIPLY_ADD.len()].copy_from_slice(&MULTIPLY_ADD);
    }
    Ok(())
}

/// The number of the function.
fn function(module: &[u8]) -> Result<u32> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CustomSection(section) = payload? else { continue };
        let KnownCustom::Name(names) = section.as_known() else { continue };
        for name in names {
            let Name::Function(functions) = name? else { continue };
            for naming in functions {
                let naming = naming?;
                if naming.name.contains(FUNCTION) {
                    found.push(naming.index);
                }
            }
        }
    }
    match found[..] {
        [one] => Ok(one),
        _ => bail!("the module has {} functions named {FUNCTION}, not one", found.len()),
    }
}

/// The offsets of the multiply-adds.
///
/// # Errors
/// It is not a module that browsers without relaxed vectors take once these are replaced.
pub fn multiply_adds(module: &[u8]) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    each_operator(module, |operator, place, _| {
        if matches!(operator, Operator::F32x4RelaxedMadd) {
            places.push(place);
        }
    })?;
    let mut plain = module.to_vec();
    for &place in &places {
        plain[place..place + PLAIN.len()].copy_from_slice(&PLAIN);
    }
    let features = WasmFeatures::default().difference(WasmFeatures::RELAXED_SIMD);
    let mut validator = Validator::new_with_features(features);
    validator.validate_all(&plain).context("relaxed vectors but their multiply-add are in the engine")?;
    Ok(places)
}

/// Calls this with each instruction, its offset and that of its end.
fn each_operator(module: &[u8], mut call: impl FnMut(&Operator<'_>, usize, usize)) -> Result<()> {
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CodeSectionEntry(body) = payload? else { continue };
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let place = reader.original_position();
            let operator = reader.read()?;
            call(&operator, place, reader.original_position());
        }
    }
    Ok(())
}
