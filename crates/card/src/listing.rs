//! Submissions as text: what listings of all cards are made of.

use ctm_bits::Field;

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The dword of the submission that it is about.
    pub at: usize,
    /// What stands there.
    pub text: String,
    /// What that is for, in a few words; empty where the text says it.
    pub meaning: &'static str,
}

/// The fields of these words that are not 0, or whose codes have names, in brackets after a space; nothing if there are none. Fields
/// of words that are missing are left out.
pub fn fields_text(fields: &[Field], words: &[u32]) -> String {
    let text = |field: &Field| {
        let raw = ctm_bits::extract(*words.get(field.word)?, field.hi, field.lo);
        match (field.spell)(raw) {
            Some(spelled) => Some(format!("{} {spelled}", field.name)),
            // Whole words of larger numbers are addresses and bits.
            None if field.width() == 32 && raw > 0xFFFF => Some(format!("{} {raw:#x}", field.name)),
            None => (raw != 0).then(|| format!("{} {raw}", field.name)),
        }
    };
    let fields: Vec<_> = fields.iter().filter_map(text).collect();
    if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) }
}

/// These dwords in hexadecimal digits, each after a space.
pub fn dwords(dwords: &[u32]) -> String {
    dwords.iter().map(|dword| format!(" {dword:08x}")).collect()
}

/// A vector of binary32 numbers.
pub fn numbers(bits: &[u32]) -> String {
    let numbers: Vec<_> = bits.iter().map(|&bits| f32::from_bits(bits).to_string()).collect();
    format!("({})", numbers.join(", "))
}
