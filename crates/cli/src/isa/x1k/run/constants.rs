//! The constants of a run.

use crate::isa::x1k::options::X1kArgs;
use crate::options::RunArgs;
use crate::run::{float_constants, missing_constants, numbered_uniforms, once_each, unused};
use crate::{Console, Failure};
use ctm_compile::front::Interface;
use ctm_x1k::{BOOL_CONSTANTS, Constants, Effects, FLOAT_CONSTANTS, INT_CONSTANTS, Operand, Program};
use std::collections::BTreeSet;

/// The constants that the program carries, under those of `--consts`, under those that have an option of their own.
/// Warns of constants that the program reads and nobody gives, and of those that it does not read.
/// Those that are uniforms of a shader come later; the numbers of the float constants that have a value are given for them.
pub fn gather(
    args: &RunArgs,
    x1k: &X1kArgs,
    program: &Program,
    interface: Option<&Interface>,
    console: &mut Console,
) -> Result<(Constants, BTreeSet<u8>), Failure> {
    let uniforms: Vec<u8> = numbered_uniforms(&args.frames, FLOAT_CONSTANTS)?.into_keys().collect();
    let mut values = program.constants.clone();
    values.floats.extend(float_constants(console.host, args, FLOAT_CONSTANTS)?);
    let ints = once_each("integer constant", &x1k.ints, INT_CONSTANTS)?;
    values.ints.extend(ints.into_iter().map(|(number, value)| (number, value.0)));
    let bools = once_each("boolean constant", &x1k.bools, BOOL_CONSTANTS)?;
    values.bools.extend(bools.into_iter().map(|(number, value)| (number, value.0)));

    let given = values.floats.keys().chain(&uniforms).copied().collect();
    for &number in interface.iter().flat_map(|_| &program.references.float_constants) {
        values.floats.entry(number).or_default();
    }

    let read = &program.references;
    let floats = args.floats.iter().map(|constant| &constant.number).chain(&uniforms);
    unused("constant", "read", floats, |number| read.float_constants.contains(&number), console);
    let ints = x1k.ints.iter().map(|constant| &constant.number);
    unused("integer constant", "read", ints, |number| read.int_constants.contains(&number), console);
    let bools = x1k.bools.iter().map(|constant| &constant.number);
    unused("boolean constant", "read", bools, |number| read.bool_constants.contains(&number), console);
    let floats =
        missing_constants("c", "--const", "=R,G,B,A", &named(program), |number| values.floats.contains_key(number));
    let ints = missing_constants("i", "--iconst", "=COUNT,INIT,STEP", &read.int_constants, |number| {
        values.ints.contains_key(number)
    });
    let bools =
        missing_constants("b", "--bconst", "=true", &read.bool_constants, |number| values.bools.contains_key(number));
    [floats, ints, bools].into_iter().flatten().for_each(|message| console.report(&message));
    Ok((Constants::from(&values), given))
}

/// The float constants that instructions name. Those that they reach by aL only may as well not be reached.
fn named(program: &Program) -> BTreeSet<u8> {
    let effects = program.code.iter().map(|instruction| Effects::of(instruction, program.info.write_mode));
    let reads = effects.flat_map(|effects| effects.reads);
    reads
        .filter_map(|read| match read.operand {
            Operand::Const { index, relative: false } => Some(index),
            _ => None,
        })
        .collect()
}
