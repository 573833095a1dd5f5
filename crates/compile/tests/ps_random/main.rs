//! Generated pixel shaders: what their functions compute is what an evaluator of the text says, which knows nothing of functions.

mod evaluate;
mod generate;

use ctm_cases::{Result, Unstructured};
use ctm_compile::front::ps::{Options, lower, parse};
use ctm_compile::ir::{Environment, Fetch, Output, QUAD, eval};
use evaluate::{Evaluator, Precision};

/// Columns and rows of textures.
pub const SIZE: f64 = 8.0;

/// What constants, inputs and textures hold: eighths between -2 and 2, so that sums and products of a few are exact.
pub fn eighth(kind: u32, number: u32, channel: u32) -> f32 {
    let mixed = (kind * 7919 + number * 104_729 + channel * 1_299_709).wrapping_mul(2_654_435_761) >> 20;
    (mixed % 33) as f32 / 8.0 - 2.0
}

/// Column and row of a lane of the quad that is run.
pub fn position(lane: usize) -> [u32; 2] {
    [4 + lane as u32 % 2, 6 + lane as u32 / 2]
}

/// How often loops run that the text does not say it of.
pub fn passes(constant: u32) -> u32 {
    constant % 4
}

/// Boolean constants that the text does not define.
pub fn boolean(constant: u32) -> bool {
    constant % 3 == 1
}

/// An interpolated input: it changes by an eighth from column to column.
pub fn varying(slot: u32, channel: u32, lane: usize) -> f32 {
    eighth(1, slot, channel) + 0.125 * (position(lane)[0] % 8) as f32
}

/// An element of a texture.
pub fn texel(unit: u32, x: f64, y: f64, channel: u32) -> f32 {
    let place = |at: f64| at.floor().clamp(0.0, SIZE - 1.0) as u32;
    eighth(2 + unit, place(y) * 8 + place(x), channel)
}

struct World;

impl Environment for World {
    fn uniform(&self, register: u8, channel: u8) -> u32 {
        eighth(0, register.into(), channel.into()).to_bits()
    }
    fn boolean(&self, index: u8) -> bool {
        boolean(index.into())
    }
    fn passes(&self, index: u8) -> u32 {
        passes(index.into())
    }
    fn position(&self) -> [u32; 2] {
        position(0)
    }
    fn varying(&self, slot: u8, channel: u8) -> [u32; QUAD] {
        std::array::from_fn(|lane| varying(slot.into(), channel.into(), lane).to_bits())
    }
    fn fetch(&self, fetch: &Fetch, args: &[[u32; QUAD]]) -> [[u32; QUAD]; 4] {
        std::array::from_fn(|channel| {
            std::array::from_fn(|lane| {
                let arg = |at: usize| f64::from(f32::from_bits(args[at][lane]));
                let divisor = if fetch.kind == ctm_compile::ir::FetchKind::Project { arg(2) } else { 1.0 };
                texel(fetch.unit.into(), arg(0) / divisor, arg(1) / divisor, channel as u32).to_bits()
            })
        })
    }
}

/// How programs ended.
#[derive(Default)]
struct Tally {
    compared: u32,
    skipped: u32,
}

fn check(u: &mut Unstructured<'_>, tally: &mut Tally) -> Result<()> {
    let text = generate::program(u)?;
    let parsed = parse("generated", &text).unwrap_or_else(|errors| {
        let errors: String = errors.iter().map(|error| format!("{error}\n")).collect();
        panic!("{text}\n{errors}")
    });
    let function = lower(&parsed.shader, Options::default()).unwrap_or_else(|error| panic!("{text}\n{error}")).function;
    ctm_compile::ir::verify(&function).unwrap_or_else(|error| panic!("{text}\n{error}\n{function}"));
    let outcome = eval(&function, &World, 1 << 20).unwrap_or_else(|stop| panic!("{text}\n{stop}"));
    let Some(single) = Evaluator::new(&parsed.shader, Precision::Single).run() else {
        tally.skipped += 1;
        return Ok(());
    };
    let Some(double) = Evaluator::new(&parsed.shader, Precision::Double).run() else {
        tally.skipped += 1;
        return Ok(());
    };
    tally.compared += 1;
    for lane in 0..QUAD {
        assert_eq!(outcome.killed[lane], single.killed[lane], "{text}\nlane {lane} is killed or not\n{function}");
        if single.killed[lane] {
            continue;
        }
        for (output, bits) in function.outputs.iter().zip(&outcome.outputs) {
            let found = f64::from(f32::from_bits(bits[lane]));
            let (slot, channel) = match *output {
                Output::Colour { slot, channel } => (usize::from(slot), usize::from(channel)),
                Output::Depth => (4, 0),
            };
            let (one, two) = (single.outputs[slot][channel][lane], double.outputs[slot][channel][lane]);
            // What rounding changes much, it may change in another way, too.
            let allowed = 256.0 * (one - two).abs() + 1e-4 * two.abs() + 3e-5;
            let agrees = found == one || (found - two).abs() <= allowed || (one.is_nan() && found.is_nan());
            let unknown = !one.is_finite() || !two.is_finite() || !found.is_finite();
            assert!(
                agrees || unknown,
                "{text}\noutput {slot}.{channel} of lane {lane}: {found}, expected {two} ({one})\n{function}"
            );
        }
    }
    Ok(())
}

/// Programs that the test tries unless it is told another number. A few in many thousand round in such a way that tests of numbers come
/// out another way.
const PROGRAMS: u64 = 3000;

#[test]
fn functions_compute_what_texts_say() {
    let mut tally = Tally::default();
    ctm_cases::check_sized(PROGRAMS, |seed| 512 + (seed % 448) as usize * 8, |u| check(u, &mut tally));
    assert!(
        tally.compared > 100 && tally.skipped < tally.compared,
        "{} compared, {} skipped",
        tally.compared,
        tally.skipped
    );
}
