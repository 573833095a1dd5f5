//! `ctm card replay --pixel`: what draws did to one pixel.

mod json;
mod page;

use crate::run::follow::Guest;
use crate::wording::{number_of, one_line};
use crate::{Console, Failure};
use ctm_r5xx::history::DrawHistory;
use ctm_x1k::text::print_instruction_at;
use ctm_x1k::{Program, References};

/// A draw that did something to the pixel.
pub struct Draw {
    /// Its number in the trace.
    pub number: usize,
    /// The number of its submission.
    pub submission: usize,
    /// What it did.
    pub history: DrawHistory,
}

/// What is shown of the history.
pub struct Shown {
    /// Column and row in the buffers.
    pub pixel: (u32, u32),
    /// Draws that were executed.
    pub draws: usize,
    /// The runs of programs, instruction by instruction.
    pub follow: bool,
    /// For machines.
    pub json: bool,
}

/// Prints the history of a pixel.
pub fn print(draws: &[Draw], shown: &Shown, console: &mut Console) -> Result<(), Failure> {
    if shown.json {
        return Ok(draws.iter().try_for_each(|draw| console.json(&json::draw(draw, shown)))?);
    }
    let (x, y) = shown.pixel;
    let some = match draws.len() {
        0 => "none of".into(),
        count => format!("{count} of"),
    };
    writeln!(console.out, "pixel ({x}, {y}): {some} {} covered it", number_of(shown.draws, "draw"))?;
    for draw in draws {
        let text = page::Page { draw, shown, colours: console.colours }.text();
        console.out.write_all(text.as_bytes())?;
    }
    Ok(())
}

impl Draw {
    /// The constants that its fragment program reads, but zeros.
    fn constants(&self) -> Vec<(u8, [u32; 4])> {
        let DrawHistory { program, constants, .. } = &self.history;
        let info = &program.info;
        let code = program.code.get(info.start.into()..=info.end.into()).unwrap_or_default();
        let read = References::of(code, info).float_constants;
        let values = read.into_iter().map(|number| (number, constants.floats[usize::from(number)]));
        values.filter(|(_, value)| *value != [0; 4]).collect()
    }
}

/// How a fragment program is shown.
fn guest(program: &Program, (x, y): (u32, u32)) -> Guest<'_> {
    Guest {
        text: Box::new(|at, _| one_line(&print_instruction_at(program, at.pc as usize))),
        address: |at| at.pc.to_string(),
        width: 68,
        lane: format!("fragment ({x}, {y})"),
    }
}
