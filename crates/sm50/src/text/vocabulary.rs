//! Every word that the assembler accepts, for the test that each has a page.

use super::{directives, fit};
use crate::codes::Flags;
use crate::field::FieldId;
use crate::header::Stage;
use crate::special::special_register_names;

/// Instructions, what their names get appended, operands, directives, and the names of values.
pub(crate) fn words() -> Vec<String> {
    let fields = directives::header_fields().map(|field| format!(".{}", field.name.to_ascii_lowercase()));
    let fields = fields.chain(directives::NAMES.iter().map(|name| format!(".{name}")));
    let values =
        directives::header_fields().flat_map(|field| (0..=field.max().min(255)).map_while(|raw| (field.spell)(raw)));
    let suffixes = FieldId::ALL.iter().flat_map(|id| (0..=255).map_while(|raw| id.spell(raw)));
    let words = fit::names()
        .chain(suffixes.filter(|suffix| !suffix.is_empty() && *suffix != crate::codes::INVALID))
        .chain(values)
        .chain(special_register_names())
        .chain(Stage::ALL.map(Stage::name))
        .chain(Flags::ALL.map(Flags::name))
        .chain(["R0", "RZ", "P0", "PT", "CC", "c", "a", "SB0", "reuse", "NEG", "ABS", "INV", "H0", "H1", "yes", "no"]);
    words.map(str::to_owned).chain(fields).collect()
}
