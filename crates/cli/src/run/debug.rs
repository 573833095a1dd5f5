//! Debugger sessions, as instruction sets open them.

use ctm_debug::{Listing, Session, Source};
use ctm_lane::domain::Domain;
use ctm_memory::{Bounds, Space, Surface, View};
use ctm_terminal::Picture;
use ctm_text::Origin;

/// A session with what is shown beside it.
pub struct Debugged {
    /// The session.
    pub session: Session,
    /// How many lanes executed each row of the listing in the whole run; empty if that is not known.
    pub counts: Vec<u64>,
    /// What the run leaves in its first output.
    pub picture: Option<Picture>,
}

/// A listing with the places that its rows have in source texts.
pub fn lines(mut listing: Listing, origins: &[Origin]) -> Listing {
    for (row, origin) in listing.rows.iter_mut().zip(origins) {
        let name = &origin.file.name;
        let known = listing.sources.iter().position(|source| source.name == *name);
        let number = known.unwrap_or_else(|| {
            listing.sources.push(Source { name: name.clone(), text: origin.file.text.clone() });
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
