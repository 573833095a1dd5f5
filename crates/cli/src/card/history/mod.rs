//! `ctm card replay --pixel`: what draws did to one pixel.

mod json;

use crate::run::follow::{self, Guest};
use crate::wording::{number_of, one_line};
use crate::{Console, Failure};
use ctm_r5xx::history::ProgramRun;
use ctm_replay::card::{Page, PixelDraw};
use ctm_x1k::Program;
use ctm_x1k::text::print_instruction_at;

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
pub fn print(draws: &[PixelDraw], shown: &Shown, console: &mut Console) -> Result<(), Failure> {
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
        let colours = console.colours;
        let run = |run: &ProgramRun| {
            follow::page(&guest(&draw.history.program, shown.pixel), colours, &run.start, &run.steps, &run.end)
        };
        let page = Page { draw, run: shown.follow.then_some(&run) };
        write!(console.out, "\n{}\n{}", page.title(), page.text())?;
    }
    Ok(())
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
