//! Directives: the header, and control words given as they are.

use super::assemble::read_word;
use crate::header::{AttributeMap, Header, Interpolation, PixelMaps, Stage};
use crate::instruction::Instruction;
use crate::program::{BUNDLE_SLOTS, Code};
use ctm_bits::{Field, FieldValue};
use ctm_text::{Cause, Cursor, Reported, Span, Token, excerpt};

/// The directives that are not fields of the header.
pub(super) const NAMES: [&str; 9] =
    ["raw", "control", "constants", "stage", "imap", "omap", "imap_constant", "imap_perspective", "imap_linear"];

/// The directives of the inputs of fragment programs that are interpolated.
const INTERPOLATED: [(&str, Interpolation); 3] = [
    ("imap_constant", Interpolation::Constant),
    ("imap_perspective", Interpolation::Perspective),
    ("imap_linear", Interpolation::Linear),
];

/// What the directives of a text say; what they leave open follows from the code.
#[derive(Default)]
pub(super) struct Directives {
    stage: Option<Stage>,
    fields: Vec<(&'static Field, u32)>,
    imap: Option<AttributeMap>,
    interpolated: [Option<AttributeMap>; 3],
    omap: Option<AttributeMap>,
    /// Control words by number of the bundle.
    controls: Vec<(usize, u64, Span)>,
    /// Words of the program's own constants.
    constants: Vec<u32>,
    /// The first directive that belongs to a header.
    first: Option<Span>,
    /// The first directive that belongs to a header of type 2.
    pixel: Option<Span>,
}

/// Whether a field belongs to headers of type 2 alone.
fn of_pixel(field: &Field) -> bool {
    PixelMaps::FIELDS.iter().any(|known| known.name == field.name)
}

/// The fields of the header that directives name: all but the stage, which has its own.
pub(crate) fn header_fields() -> impl Iterator<Item = &'static Field> {
    Header::FIELDS.iter().filter(|field| field.name != "SHADER_TYPE").chain(PixelMaps::FIELDS)
}

impl Directives {
    /// Reads one directive, from its dot on; `place` is the number of the instruction that follows.
    pub fn read(&mut self, cursor: &mut Cursor, place: usize) -> Result<(), Reported> {
        let dot = Span::from(cursor.take());
        let token = cursor.expect_word("a directive", "such as `.stage vertex`")?;
        let name = cursor.text(token).to_ascii_lowercase();
        if name == "control" {
            let word = read_word(cursor, "a control word")?;
            if !place.is_multiple_of(BUNDLE_SLOTS) {
                let message = format!("a bundle begins after every {BUNDLE_SLOTS} instructions, not here");
                return Err(cursor.error(Cause::Misplaced, token, message, "it is for the bundle that follows it"));
            }
            self.controls.push((place / BUNDLE_SLOTS, word, dot.to(cursor.last().into())));
            return Ok(());
        }
        if name == "constants" {
            return self.read_constants(cursor);
        }
        self.first.get_or_insert(dot.to(token.into()));
        match name.as_str() {
            "stage" => {
                let names = Stage::ALL.map(Stage::name);
                let known = cursor.expect_name("a stage", &names);
                self.given_once(cursor, token, self.stage.is_some());
                // One that is unknown is complained about once.
                self.stage = Some(known.as_ref().map_or(Stage::None, |&known| Stage::ALL[known]));
                known?;
            }
            "imap" => {
                self.given_once(cursor, token, self.imap.is_some());
                self.imap = Some(read_map(cursor)?);
            }
            name if INTERPOLATED.iter().any(|(known, _)| *known == name) => {
                let at = INTERPOLATED.iter().position(|(known, _)| *known == name).unwrap_or_default();
                self.given_once(cursor, token, self.interpolated[at].is_some());
                self.interpolated[at] = Some(read_map(cursor)?);
                self.pixel.get_or_insert(dot.to(token.into()));
            }
            "omap" => {
                self.given_once(cursor, token, self.omap.is_some());
                self.omap = Some(read_map(cursor)?);
            }
            _ => {
                let Some(field) = header_fields().find(|field| field.name.eq_ignore_ascii_case(&name)) else {
                    let names: Vec<String> = header_fields().map(|field| field.name.to_ascii_lowercase()).collect();
                    let known: Vec<&str> = NAMES.into_iter().chain(names.iter().map(String::as_str)).collect();
                    return Err(cursor.unknown_word(token, "a directive", &known));
                };
                self.given_once(cursor, token, self.fields.iter().any(|(given, _)| given.name == field.name));
                let value = read_value(cursor, field)?;
                if of_pixel(field) {
                    self.pixel.get_or_insert(dot.to(token.into()));
                }
                self.fields.push((field, value));
            }
        }
        Ok(())
    }

    /// `.constants 1.0, 0x80000000`: more words of the program's own constants.
    fn read_constants(&mut self, cursor: &mut Cursor) -> Result<(), Reported> {
        loop {
            let first = cursor.peek();
            self.constants.push(cursor.float("a constant")?.0);
            if self.constants.len() > MOST_CONSTANTS {
                let message = format!("a constant bank has {MOST_CONSTANTS} words at most");
                return Err(cursor.error(Cause::TooLong, first, message, "this is one more"));
            }
            if !cursor.accept_symbol(b',') {
                return Ok(());
            }
        }
    }

    /// The program's own constants.
    pub fn into_constants(self) -> Vec<u32> {
        self.constants
    }

    fn given_once(&self, cursor: &mut Cursor, token: Token, before: bool) {
        if before {
            let message = format!("`.{}` is given twice", excerpt(cursor.text(token)));
            cursor.error(Cause::Duplicate, token, message, "remove one of them");
        }
    }

    /// Replaces the control words that are given as they are.
    pub fn set_controls(&self, cursor: &mut Cursor, code: &mut Code) {
        for &(bundle, word, span) in &self.controls {
            let controls = code.controls_mut();
            // A control word may come after the last whole bundle.
            if bundle == controls.len() {
                controls.push(word);
            } else if let Some(control) = controls.get_mut(bundle) {
                *control = word;
            } else {
                cursor.error(Cause::Misplaced, span, "there is no bundle here", "");
            }
        }
    }

    /// The header that the directives and the code make; none without a stage.
    pub fn header(&self, cursor: &mut Cursor, code: &[Instruction]) -> Option<Header> {
        let Some(stage) = self.stage else {
            if let Some(span) = self.first {
                let help = "say `.stage vertex`, `tess_init`, `tessellation` or `geometry`; compute code has no header";
                cursor.error(Cause::Misplaced, span, "a header needs a stage", help);
            }
            return None;
        };
        let sph_type = self.fields.iter().find(|(field, _)| field.name == "SPH_TYPE").map(|(_, value)| *value as u8);
        let mut header = implied(stage, sph_type, code);
        if let Some(span) = self.pixel.filter(|_| header.sph_type != Header::PIXEL_TYPE) {
            cursor.error(Cause::Misplaced, span, "only fragment programs have this", "say `.stage pixel`");
            return None;
        }
        self.set_fields(&mut header, |_| true);
        // What repeats the patch words follows from them, unless it is given.
        (header.reserved_b, header.reserved_c) = header.patch_nibbles();
        self.set_fields(&mut header, |field| field.name.starts_with("RESERVED"));
        if header.sph_type == Header::PIXEL_TYPE {
            if let Some(map) = self.imap {
                set_inputs(&mut header.pixel, &map, Interpolation::Linear, |address| !PixelMaps::has_code(address));
            }
            for (map, (_, interpolation)) in self.interpolated.iter().zip(INTERPOLATED) {
                if let Some(map) = map {
                    set_inputs(&mut header.pixel, map, interpolation, PixelMaps::has_code);
                }
            }
        } else {
            header.imap = self.imap.unwrap_or(header.imap);
            header.omap = self.omap.unwrap_or(header.omap);
        }
        Some(header)
    }

    fn set_fields(&self, header: &mut Header, which: impl Fn(&Field) -> bool) {
        let mut words = header.encode();
        for (field, value) in self.fields.iter().filter(|(field, _)| which(field)) {
            field.set(&mut words, *value);
        }
        *header = Header::decode(&words);
    }
}

/// What code alone says about a header of this type; without one, of the stage's.
fn implied(stage: Stage, sph_type: Option<u8>, code: &[Instruction]) -> Header {
    let mut header = Header::implied(stage, code);
    if let Some(sph_type) = sph_type.filter(|&sph_type| sph_type != header.sph_type) {
        (header.imap, header.omap) = (AttributeMap::default(), AttributeMap::default());
        header.pixel = PixelMaps::default();
        header.sph_type = sph_type;
    }
    header
}

/// Of the inputs that `which` names, those of a map are interpolated so, and no others.
fn set_inputs(maps: &mut PixelMaps, map: &AttributeMap, interpolation: Interpolation, which: fn(u32) -> bool) {
    for address in AttributeMap::ALL.iter().filter(|&address| which(address)) {
        if map.contains(address) {
            maps.set(address, interpolation);
        } else if maps.interpolation(address) == interpolation {
            maps.set(address, Interpolation::Unused);
        }
    }
}

/// The value of a field: a number, or a name where its codes have names; `yes` and `no` for flags.
fn read_value(cursor: &mut Cursor, field: &Field) -> Result<u32, Reported> {
    if field.width() == 1 {
        return Ok(cursor.expect_name("a value", &["no", "yes"])? as u32);
    }
    let names: Vec<&str> = (0..=field.max().min(255)).map_while(|raw| (field.spell)(raw)).collect();
    if names.is_empty() {
        return cursor.number(&format!("`.{}`", field.name.to_ascii_lowercase()), field.max());
    }
    Ok(cursor.expect_name("a field value", &names)? as u32)
}

/// `0x80-0x8c, 0x2fc`, or `none`.
fn read_map(cursor: &mut Cursor) -> Result<AttributeMap, Reported> {
    let mut map = AttributeMap::default();
    if cursor.accept_word("none") {
        return Ok(map);
    }
    loop {
        let first = read_attribute(cursor)?;
        let last = if cursor.accept_symbol(b'-') { read_attribute(cursor)? } else { first };
        if last < first {
            let span = cursor.last();
            cursor.error(Cause::Range, span, "this range ends before it begins", "write the lower address first");
        }
        (first / 4..=last / 4).for_each(|word| _ = map.insert(4 * word));
        if !cursor.accept_symbol(b',') {
            return Ok(map);
        }
    }
}

fn read_attribute(cursor: &mut Cursor) -> Result<u32, Reported> {
    let address = cursor.number("the address of an attribute", 4 * (AttributeMap::LEN - 1))?;
    if !address.is_multiple_of(4) {
        let token = cursor.last();
        cursor.error(Cause::Range, token, format!("{address:#x} is not an attribute"), "addresses are multiples of 4");
    }
    Ok(address)
}

/// Words of a constant bank: 64 KiB.
const MOST_CONSTANTS: usize = 1 << 14;

/// The directives of a program's own constants, a few words in each.
pub(super) fn spell_constants(constants: &[u32]) -> Vec<String> {
    let line = |words: &[u32]| {
        format!(".constants {}", words.iter().map(|word| format!("{word:#010x}")).collect::<Vec<_>>().join(", "))
    };
    constants.chunks(4).map(line).collect()
}

/// The directives of a header: what the code alone does not say.
pub(super) fn spell(header: &Header, code: &[Instruction]) -> Vec<String> {
    let mut lines = vec![format!(".stage {}", header.stage.name())];
    let mut implied = implied(header.stage, Some(header.sph_type), code);
    (implied.reserved_b, implied.reserved_c) = header.patch_nibbles();
    let (words, implied_words) = (header.encode(), implied.encode());
    let natural = u32::from(Header::new(header.stage).sph_type);
    for field in header_fields() {
        let value = field.get(&words);
        let there = header.sph_type == Header::PIXEL_TYPE || !of_pixel(field);
        if there && (value != field.get(&implied_words) || field.name == "SPH_TYPE" && value != natural) {
            let spelled = match (field.spell)(value) {
                Some(name) => name.to_owned(),
                None if field.width() == 1 => ["no", "yes"][bool::from_raw(value) as usize].to_owned(),
                None => value.to_string(),
            };
            lines.push(format!(".{} {spelled}", field.name.to_ascii_lowercase()));
        }
    }
    if header.sph_type == Header::PIXEL_TYPE {
        lines.extend(spell_inputs(&header.pixel, &implied.pixel));
        return lines;
    }
    for (name, map, implied) in [("imap", header.imap, implied.imap), ("omap", header.omap, implied.omap)] {
        if map != implied {
            lines.push(format!(".{name} {}", spell_map(&map)));
        }
    }
    lines
}

/// The directives of the inputs of fragment programs: what the code alone does not say.
fn spell_inputs(maps: &PixelMaps, implied: &PixelMaps) -> Vec<String> {
    let of = |maps: &PixelMaps, interpolation, coded: bool| -> AttributeMap {
        let inputs = maps.inputs();
        inputs
            .filter(|&(address, is)| is == interpolation && PixelMaps::has_code(address) == coded)
            .map(|(address, _)| address)
            .collect()
    };
    // All of them, once one differs: a directive takes away what it does not name.
    let coded = INTERPOLATED.map(|(name, interpolation)| (name, interpolation, true));
    let kinds = [("imap", Interpolation::Linear, false)].into_iter().chain(coded);
    let kinds = kinds.map(|(name, interpolation, coded)| {
        (name, of(maps, interpolation, coded), of(implied, interpolation, coded), coded)
    });
    let kinds: Vec<_> = kinds.collect();
    let differs = kinds.iter().any(|(_, map, implied, coded)| *coded && map != implied);
    kinds
        .iter()
        .filter(|(_, map, implied, coded)| if *coded { differs } else { map != implied })
        .map(|(name, map, ..)| format!(".{name} {}", spell_map(map)))
        .collect()
}

/// The addresses of a map as ranges.
pub(super) fn spell_map(map: &AttributeMap) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for address in map.iter() {
        match ranges.last_mut() {
            Some((_, last)) if *last + 4 == address => *last = address,
            _ => ranges.push((address, address)),
        }
    }
    let spelled: Vec<String> = ranges
        .iter()
        .map(|&(first, last)| if first == last { format!("{first:#x}") } else { format!("{first:#x}-{last:#x}") })
        .collect();
    if spelled.is_empty() { "none".into() } else { spelled.join(", ") }
}
