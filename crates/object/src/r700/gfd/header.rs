//! The header of a shader: registers, and tables of what the shader names.

use super::layout::{Column, Entry, Field, PIXEL, Table, VERTEX};
use super::{GfdError, slice, word};
use ctm_r700::{Program, Stage, Uses};

/// What places are marked with that the system turns into addresses: of data, and of texts.
const DATA: u32 = 0xD060_0000;
const TEXT: u32 = 0xCA70_0000;
/// The bits of a place.
const PLACE: u32 = 0x000F_FFFF;
/// The number before the list of places, and its bytes.
const RELOCATION_MAGIC: u32 = 0x7D42_4C4B;
const RELOCATION_BYTES: u32 = 0x28;
/// Most rows of a table that are read.
const MOST_ROWS: u32 = 4096;

/// The kinds of shaders whose headers are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// A vertex shader.
    Vertex,
    /// A pixel shader.
    Pixel,
}

impl HeaderKind {
    /// That of a program.
    pub const fn of(stage: Stage) -> Option<Self> {
        match stage {
            Stage::Vertex | Stage::Export => Some(HeaderKind::Vertex),
            Stage::Pixel => Some(HeaderKind::Pixel),
            Stage::Geometry | Stage::Copy | Stage::Fetch => None,
        }
    }

    /// Its parts.
    pub const fn layout(self) -> &'static [Entry] {
        match self {
            HeaderKind::Vertex => VERTEX,
            HeaderKind::Pixel => PIXEL,
        }
    }
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The name of what it is about; empty if the table has none.
    pub name: String,
    /// A word for each column, 0 for the name.
    pub numbers: Vec<u32>,
}

/// The header of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is the header of.
    pub kind: HeaderKind,
    /// Its words, with zeros for sizes and places.
    pub words: Vec<u32>,
    /// The rows of its tables, in order.
    pub tables: Vec<Vec<Row>>,
}

/// The entries of a layout, each with the number of its first word.
pub fn placed(layout: &'static [Entry]) -> impl Iterator<Item = (usize, &'static Entry)> {
    let mut next = 0;
    layout.iter().map(move |entry| {
        let first = next;
        next += entry.words();
        (first, entry)
    })
}

/// The tables of a layout, each with the number of its first word.
pub fn tables(layout: &'static [Entry]) -> impl Iterator<Item = (usize, &'static Table)> {
    placed(layout).filter_map(|(at, entry)| match entry {
        Entry::Table(table) => Some((at, *table)),
        _ => None,
    })
}

impl Header {
    /// The header that a program has where nothing says otherwise, as latte-assembler has it; [`complete`](Self::complete) does the rest.
    pub fn of(program: &Program, kind: HeaderKind) -> Self {
        let uses = Uses::of(program);
        let layout = kind.layout();
        let words = vec![0; layout.iter().map(Entry::words).sum()];
        let mut header = Header { kind, words, tables: vec![Vec::new(); tables(layout).count()] };
        let info = &program.info;
        let gprs =
            if info.num_gprs == ctm_r700::ProgramInfo::default().num_gprs { uses.registers } else { info.num_gprs };
        let stack = info.stack_size.unwrap_or(if kind == HeaderKind::Vertex { 1 } else { 0 });
        let clamp = info.dx10_clamp.into();
        let resources = if kind == HeaderKind::Vertex { "SQ_PGM_RESOURCES_VS" } else { "SQ_PGM_RESOURCES_PS" };
        let mut set = |name, field, value| header.set(name, 0, field, value);
        set(resources, "NUM_GPRS", gprs.into());
        set(resources, "STACK_SIZE", stack.into());
        set(resources, "DX10_CLAMP", clamp);
        set("MODE", "", u32::from(!uses.of_stage.banks.is_empty()));
        match kind {
            HeaderKind::Vertex => {
                set("VGT_HOS_REUSE_DEPTH", "REUSE_DEPTH", 16);
                set("VGT_VERTEX_REUSE_BLOCK_CNTL", "VTX_REUSE_DEPTH", 14);
                if info.stage == Stage::Export {
                    set("MODE", "", super::MODE_GEOMETRY);
                }
                (0..10).for_each(|index| header.set("SPI_VS_OUT_ID", index, "", u32::MAX));
                (0..32).for_each(|index| header.set("SQ_VTX_SEMANTIC", index, "", 0xFF));
            }
            HeaderKind::Pixel => {
                set("CB_SHADER_MASK", "OUTPUT0_ENABLE", 15);
                set("CB_SHADER_CONTROL", "RT0_ENABLE", 1);
                set("DB_SHADER_CONTROL", "Z_ORDER", 1);
                set("DB_SHADER_CONTROL", "KILL_ENABLE", info.kill_enable.into());
                set("SPI_PS_IN_CONTROL_0", "BARYC_SAMPLE_CNTL", 1);
                set("SPI_PS_IN_CONTROL_0", "PERSP_GRADIENT_ENA", 1);
                set("SQ_PGM_EXPORTS_PS", "EXPORT_MODE", 2);
            }
        }
        header
    }

    /// Fills in what follows from the rest, where nothing has said it.
    pub fn complete(&mut self) {
        match self.kind {
            HeaderKind::Vertex => {
                let attributes: Vec<u32> =
                    self.tables.last().into_iter().flatten().map(|row| row.numbers[3]).take(32).collect();
                if self.value("NUM_SQ_VTX_SEMANTIC") == 0 {
                    self.set("NUM_SQ_VTX_SEMANTIC", 0, "", attributes.len() as u32);
                    for (index, location) in attributes.into_iter().enumerate() {
                        self.set("SQ_VTX_SEMANTIC", index, "SEMANTIC_ID", location & 0xFF);
                    }
                }
                if self.value("SQ_VTX_SEMANTIC_CLEAR") == 0 {
                    let count = self.value("NUM_SQ_VTX_SEMANTIC").min(32);
                    self.set("SQ_VTX_SEMANTIC_CLEAR", 0, "", u32::MAX.checked_shl(count).unwrap_or(0));
                }
            }
            HeaderKind::Pixel => {
                let inputs = self.value("NUM_SPI_PS_INPUT_CNTL");
                if self.value("SPI_PS_IN_CONTROL_0") & 0x3F == 0 {
                    self.set("SPI_PS_IN_CONTROL_0", 0, "NUM_INTERP", inputs & 0x3F);
                }
            }
        }
    }

    /// The first word of an entry.
    fn value(&self, name: &str) -> u32 {
        place(self.kind.layout(), name).map_or(0, |(at, _)| self.words[at])
    }

    /// Sets a field of a register, or all of it if the field has no name. Names are those of the layout.
    fn set(&mut self, name: &str, index: usize, field: &str, value: u32) {
        let Some((at, entry)) = place(self.kind.layout(), name) else { return };
        let fields = fields(entry);
        let word = &mut self.words[at + index];
        *word = match fields.iter().find(|(known, ..)| *known == field) {
            Some(&(_, high, low)) => insert(*word, high, low, value),
            None => value,
        };
    }

    /// The header in a block's data.
    ///
    /// # Errors
    /// The data ends early, or places lead out of it.
    pub fn read(kind: HeaderKind, data: &[u8]) -> Result<Self, GfdError> {
        let layout = kind.layout();
        let count: usize = layout.iter().map(Entry::words).sum();
        let mut words = (0..count).map(|n| word(data, 4 * n, "a register")).collect::<Result<Vec<u32>, _>>()?;
        let mut found = Vec::new();
        for (at, table) in tables(layout) {
            let rows = words[at].min(MOST_ROWS);
            let base = (words[at + 1] & PLACE) as usize;
            let row = |row: u32| read_row(table, data, base + 4 * table.columns.len() * row as usize);
            found.push((0..rows).map(row).collect::<Result<Vec<Row>, _>>()?);
            (words[at], words[at + 1]) = (0, 0);
        }
        for (at, entry) in placed(layout) {
            if matches!(entry, Entry::Program | Entry::Hidden(_)) {
                words[at..at + entry.words()].fill(0);
            }
        }
        Ok(Header { kind, words, tables: found })
    }

    /// The data of its block, for a program of so many bytes.
    pub fn write(&self, program_bytes: u32) -> Vec<u8> {
        let layout = self.kind.layout();
        let mut words = self.words.clone();
        let (mut of_data, mut of_text) = (Vec::new(), Vec::new());
        for (at, entry) in placed(layout) {
            if matches!(entry, Entry::Program) {
                words[at] = program_bytes;
            }
        }
        for ((at, _), rows) in tables(layout).zip(&self.tables) {
            words[at] = rows.len() as u32;
            if !rows.is_empty() {
                words[at + 1] = (4 * words.len() as u32) | DATA;
                of_data.push(4 * (at as u32 + 1));
            }
            for row in rows {
                if !row.name.is_empty() {
                    of_text.push((words.len(), &row.name));
                }
                words.extend(&row.numbers);
            }
        }
        let text_at = 4 * words.len() as u32;
        let mut texts: Vec<u8> = Vec::new();
        let mut places = of_data.iter().map(|place| place | DATA).collect::<Vec<u32>>();
        for (at, name) in of_text {
            words[at] = (text_at + texts.len() as u32) | TEXT;
            places.push((4 * at as u32) | TEXT);
            texts.extend(name.bytes());
            texts.push(0);
            texts.resize(texts.len().next_multiple_of(4), 0);
        }
        let mut data: Vec<u8> = words.into_iter().flat_map(u32::to_be_bytes).collect();
        data.extend(&texts);
        if !places.is_empty() {
            let places_at = data.len() as u32;
            let count = places.len() as u32;
            places.extend([RELOCATION_MAGIC, RELOCATION_BYTES, 0, places_at, DATA, texts.len() as u32]);
            places.extend([text_at | DATA, 0, count, places_at | DATA]);
            data.extend(places.into_iter().flat_map(u32::to_be_bytes));
        }
        data
    }
}

/// The entry of a name, with the number of its first word.
pub fn place(layout: &'static [Entry], name: &str) -> Option<(usize, &'static Entry)> {
    placed(layout).find(|(_, entry)| match entry {
        Entry::Register(known, _) | Entry::Registers(known, ..) | Entry::Value(known) | Entry::Values(known, _) => {
            *known == name
        }
        Entry::Program | Entry::Table(_) | Entry::Hidden(_) => false,
    })
}

/// The fields of an entry.
pub const fn fields(entry: &Entry) -> &'static [Field] {
    match entry {
        Entry::Register(_, fields) | Entry::Registers(_, _, fields) => fields,
        Entry::Value(_) | Entry::Values(..) | Entry::Program | Entry::Table(_) | Entry::Hidden(_) => &[],
    }
}

/// A word with other bits in a field.
pub const fn insert(word: u32, high: u32, low: u32, value: u32) -> u32 {
    let mask = u32::MAX >> (31 - (high - low)) << low;
    word & !mask | value << low & mask
}

/// The bits of a field.
pub const fn extract(word: u32, high: u32, low: u32) -> u32 {
    word >> low & u32::MAX >> (31 - (high - low))
}

fn read_row(table: &Table, data: &[u8], at: usize) -> Result<Row, GfdError> {
    let mut row = Row::default();
    for (number, column) in table.columns.iter().enumerate() {
        let value = word(data, at + 4 * number, "a row of a table")?;
        let is_name = *column == Column::Name;
        if is_name && value != 0 {
            let rest = slice(data, (value & PLACE) as usize, 1, "a name").map(|_| &data[(value & PLACE) as usize..])?;
            let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
            row.name = String::from_utf8_lossy(&rest[..end]).into_owned();
        }
        row.numbers.push(if is_name { 0 } else { value });
    }
    Ok(row)
}
