//! Debugger sessions, as instruction sets open them.

use crate::report::Message;
use crate::{Console, Failure};
use ctm_debug::{Listing, ListingRow, Session, SourceText};
use ctm_lane::counts::InstructionCounts;
use ctm_lane::domain::{Domain, Lanes};
use ctm_lane::run::RunOptions;
use ctm_memory::{Bounds, Space, Surface, View};
use ctm_text::Origin;
use std::io::{self, IsTerminal};

/// What a run leaves, to be looked at.
pub struct Picture {
    /// How many columns it has.
    columns: u32,
    /// How many rows.
    rows: u32,
    /// Red, green and blue of its pixels, row by row.
    colours: Vec<[u8; 3]>,
}

/// A session with what is shown beside it.
pub struct Debugged {
    /// The session.
    pub session: Session,
    /// How many lanes executed each row of the listing in the whole run; empty if that is not known.
    pub counts: Vec<u64>,
    /// What the run leaves in its first output.
    pub picture: Option<Picture>,
}

/// Refuses to show a screen where there is no terminal.
pub fn require_terminal() -> Result<(), Failure> {
    if io::stdout().is_terminal() && io::stdin().is_terminal() {
        return Ok(());
    }
    let message = Message::error("a debugger shows a screen, and there is no terminal");
    Err(Failure::Usage(message.help("'ctm run --follow' prints what a lane goes through; 'ctm dap' speaks to editors")))
}

impl Debugged {
    /// Shows it in the terminal until somebody leaves.
    #[cfg(not(feature = "debugger"))]
    pub fn show(self, _: &Console) -> Result<(), Failure> {
        Err(crate::absent::absent("its debugger", "debugger"))
    }

    /// Shows it in the terminal until somebody leaves.
    #[cfg(feature = "debugger")]
    pub fn show(self, console: &Console) -> Result<(), Failure> {
        console.require_no_warnings()?;
        let picture =
            self.picture.map(|Picture { columns, rows, colours }| ctm_terminal::Picture { columns, rows, colours });
        let mut app = ctm_terminal::App::new(self.session, self.counts, picture);
        if !shows_unicode() {
            app.signs = &ctm_terminal::ASCII;
        }
        ctm_terminal::run(&mut app).map_err(|error| Message::error(format!("the terminal failed: {error}")))?;
        Ok(())
    }

    /// A session with what is shown beside it, if that is wanted. `run` executes all of the run, and gives the picture that it leaves, if it
    /// leaves one; nothing where it fails, for the session shows why.
    pub fn new(
        session: Session,
        shows: bool,
        lanes: Lanes,
        options: RunOptions,
        run: impl FnOnce(&RunOptions) -> Option<Option<Picture>>,
    ) -> Result<Self, Failure> {
        let alone = |session| Debugged { session, counts: Vec::new(), picture: None };
        if !shows {
            return Ok(alone(session));
        }
        let counts = InstructionCounts::new(lanes, &options.budget)?;
        let Some(picture) = run(&RunOptions { counts: Some(&counts), ..options }) else { return Ok(alone(session)) };
        let executed = counts.instructions();
        let lanes = |row: &ListingRow| executed.get(&row.place).map_or(0, |count| count.lanes);
        let counts = session.guest().listing().rows.iter().map(lanes).collect();
        Ok(Debugged { session, counts, picture })
    }
}

/// Whether the terminal shows Unicode: as the locale says, where there are locales.
#[cfg(feature = "debugger")]
fn shows_unicode() -> bool {
    let value = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value).unwrap_or_default().to_ascii_uppercase();
    cfg!(windows) || locale.contains("UTF-8") || locale.contains("UTF8")
}

/// A listing with the places that its rows, by number, have in source texts.
pub fn lines<'o>(mut listing: Listing, origin: impl Fn(usize, &ListingRow) -> Option<&'o Origin>) -> Listing {
    for (number, row) in listing.rows.iter_mut().enumerate() {
        let Some(origin) = origin(number, row) else { continue };
        let name = &origin.file.name;
        let known = listing.sources.iter().position(|source| source.name == *name);
        let number = known.unwrap_or_else(|| {
            listing.sources.push(SourceText { name: name.clone(), text: origin.file.text.clone() });
            listing.sources.len() - 1
        });
        let before = origin.file.text.get(..origin.span.start).unwrap_or_default();
        row.line = Some((number, before.matches('\n').count() as u32 + 1));
    }
    listing
}

/// A surface as a picture, with values from 0 to 1.
pub fn picture(space: &Space, surface: Surface, domain: Domain) -> Picture {
    let view = View::new(space, surface, Bounds::Drop);
    let level = |bits: u32| (f32::from_bits(bits).clamp(0.0, 1.0) * 255.0).round() as u8;
    let colour = |(i, j): (u32, u32)| {
        let [r, g, b, _] = view.load(i.into(), j.into()).map(level);
        if surface.format.channels() == 1 { [r, r, r] } else { [r, g, b] }
    };
    let positions = (domain.j0..=domain.j1).flat_map(|j| (domain.i0..=domain.i1).map(move |i| (i, j)));
    Picture {
        columns: domain.i1 - domain.i0 + 1,
        rows: domain.j1 - domain.j0 + 1,
        colours: positions.map(colour).collect(),
    }
}
