//! The graphics cards that there are, by name. Who executes submissions or shows them goes through here, and knows no card.
//!
//! ```
//! use ctm_cards::Model;
//! let names: Vec<_> = Model::all().map(|model| model.identity().name).collect();
//! assert_eq!(names[..4], ["rv515", "rv530", "r580", "rv770"]);
//! assert_eq!(names.get(4).copied(), cfg!(feature = "gm107").then_some("gm107"));
//! assert_eq!(Model::named("rv770").map(|model| model.identity().driver), Some("r600"));
//! ```
#![forbid(unsafe_code)]

mod card;
mod model;

pub use card::{Card, CardOptions, PictureError, SavedCard};
pub use model::Model;
