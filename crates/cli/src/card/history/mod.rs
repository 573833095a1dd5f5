//! `ctm card replay --pixel`: what draws did to one pixel.

mod json;

use crate::run::follow::{self, Guest};
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_card::history::ProgramRun;
use ctm_replay::card::{Page, PixelDraw};

/// What is shown of the history.
pub struct HistoryOptions {
    /// Column and row in the buffers.
    pub pixel: (u32, u32),
    /// Columns and rows of the last draw's buffer, if it has one.
    pub size: Option<(u32, u32)>,
    /// Draws that were executed.
    pub draws: usize,
    /// The runs of programs, instruction by instruction.
    pub follow: bool,
    /// For machines.
    pub json: bool,
}

/// Prints the history of a pixel.
pub fn print(draws: &[PixelDraw], shown: &HistoryOptions, console: &mut Console) -> Result<(), Failure> {
    if shown.json {
        return Ok(draws.iter().try_for_each(|draw| console.json(&json::draw(draw, shown)))?);
    }
    let (x, y) = shown.pixel;
    let some = match draws.len() {
        0 => "none of".into(),
        count => format!("{count} of"),
    };
    let size = shown.size.filter(|&(width, height)| draws.is_empty() && (x >= width || y >= height));
    let size = size
        .map_or_else(String::new, |(width, height)| format!("; the last draw's buffer has {width}x{height} pixels"));
    writeln!(console.out, "pixel ({x}, {y}): {some} {} covered it{size}", number_of(shown.draws, "draw"))?;
    for draw in draws {
        let colours = console.colours;
        let run = |run: &ProgramRun| follow::page(&guest(run), colours, &run.start, &run.steps, &run.end);
        let page = Page { draw, run: shown.follow.then_some(&run) };
        write!(console.out, "\n{}\n{}", page.title(), page.text())?;
    }
    Ok(())
}

/// How a run is shown.
fn guest(run: &ProgramRun) -> Guest<'_> {
    let listing = &run.listing;
    Guest {
        text: Box::new(|at, part| listing.text(at, part)),
        address: listing.address,
        width: listing.width,
        lane: run.lane.clone(),
    }
}
