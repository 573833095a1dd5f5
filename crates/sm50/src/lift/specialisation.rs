//! What the function of a program depends on, and what its names stand for.

use super::pixels::{PixelLayout, input_words, primitives, quads_across};
use super::texture::{BoundTexture, bound_textures};
use crate::attributes::{Records, Slots, WORDS};
use crate::header::{AttributeMap, Header, Stage};
use crate::launch::{Constants, LaunchConstants, MAX_SHARED_MEMORY, StageLaunch, WARP};
use crate::special::packed;
use std::collections::BTreeMap;
use std::ops::Range;

/// Everything that the function of a program depends on, beside its code.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Specialisation {
    /// The program's header; empty for compute code.
    pub header: Header,
    /// Its stage.
    pub stage: Stage,
    /// Bytes of local memory.
    pub local_memory: u32,
    /// Bytes of shared memory of a block.
    pub shared_memory: u32,
    /// There are more lanes than a row of a line has.
    pub is_long: bool,
    /// There are records about invocations.
    pub has_columns: bool,
    /// Words of the input records.
    pub inputs: Option<Slots>,
    /// Words of the output records.
    pub outputs: Option<Slots>,
    /// Words of the patch records.
    pub patches: Option<Slots>,
    /// Attribute stores that have an effect.
    pub surviving: AttributeMap,
    /// Vertices of an input primitive, if there are primitives.
    pub primitive_vertices: Option<u32>,
    /// Numbers of the constant banks, with their lengths in words.
    pub banks: Vec<(u8, u32)>,
    /// Words that are in no bank are 0.
    pub has_open_banks: bool,
    /// Banks that are memory: a bit for each.
    pub memory_banks: u32,
    /// SR_Y_DIRECTION.
    pub y_direction: u32,
    /// Geometry: emissions are logged.
    pub emits: bool,
    /// Invocations are threads of a grid.
    pub has_grid: bool,
    /// The driver has words of its own in a constant bank.
    pub has_launch_constants: bool,
    /// Blocks have several warps, which may wait for each other.
    pub has_company: bool,
    /// Lanes are fragments.
    pub pixels: Option<PixelLayout>,
    /// Handles in constant banks that the code names, with what they are.
    pub textures: BTreeMap<u16, BoundTexture>,
    /// Of global memory: its arenas, if it has as many as functions tell apart.
    pub arenas: Option<u32>,
    /// Programs store to a part of it.
    pub has_store_ranges: bool,
}

/// Arenas of global memory that functions tell apart, at most.
const MOST_ARENAS: usize = 8;
/// Bytes that an arena has at least: those of the largest access.
const LEAST_ARENA: u32 = 16;

impl Specialisation {
    /// What is known of a launch; `None` if it is one for the reference.
    pub fn of(launch: &StageLaunch) -> Option<Specialisation> {
        let (shader, count) = (&launch.shader, launch.invocations.count);
        let header = shader.header.unwrap_or_default();
        let per_lane = if shader.stage() == Stage::Geometry { header.max_output_vertex_count.into() } else { 1 };
        let own_records = u64::from(count) * per_lane;
        let fits = |records: &Records, needed: u64| u64::from(records.count()) >= needed;
        let has_records = launch.outputs.is_none_or(|outputs| fits(outputs, own_records))
            && (shader.stage() != Stage::Vertex || launch.inputs.is_none_or(|inputs| fits(inputs, count.into())));
        let has_log = launch.emissions.is_none_or(|emissions| {
            emissions.lanes() >= count && emissions.capacity() >= 2 * u32::from(header.max_output_vertex_count)
        });
        let [banks, memory_banks] = launch.bank_sets();
        let bank = |number| Some((number, launch.bank(number)?.len() as u32));
        let pixels = match launch.pixels {
            Some(pixels) => Some(PixelLayout::of(pixels)?),
            None => launch.lines.map(PixelLayout::of_lines),
        };
        let has_global = launch.grid.is_some() || pixels.is_some();
        (has_records && has_log).then(|| Specialisation {
            header,
            stage: shader.stage(),
            local_memory: shader.local_memory,
            shared_memory: shader.shared_memory.min(MAX_SHARED_MEMORY),
            is_long: count > 1 << 16,
            has_columns: launch.invocations.columns.is_some(),
            inputs: launch.inputs.map(|records| *records.slots()),
            outputs: launch.outputs.map(|records| *records.slots()),
            patches: launch.patches.map(|records| *records.slots()),
            surviving: launch.surviving,
            primitive_vertices: launch.primitives.map(|primitives| primitives.vertices),
            banks: (0..Constants::BANKS).filter(|number| banks >> number & 1 != 0).filter_map(bank).collect(),
            has_open_banks: launch.has_open_banks(),
            memory_banks,
            y_direction: launch.environment.y_direction,
            emits: launch.emissions.is_some(),
            has_grid: launch.grid.is_some(),
            has_launch_constants: launch.constants().is_some(),
            has_company: launch.grid.is_some_and(|grid| grid.block_invocations() > WARP),
            pixels,
            textures: bound_textures(launch),
            arenas: launch.environment.memory.filter(|_| has_global).and_then(|memory| {
                let arenas = memory.arenas();
                let fits = arenas.len() <= MOST_ARENAS && arenas.iter().all(|arena| arena.size() >= LEAST_ARENA);
                fits.then_some(arenas.len() as u32)
            }),
            has_store_ranges: launch.environment.stores.is_some(),
        })
    }

    /// Words of a constant bank, with those that the launch has in it.
    pub(super) fn bank(&self, bank: u32) -> Option<u32> {
        let own = self.banks.iter().find(|&&(number, _)| u32::from(number) == bank).map(|&(_, words)| words);
        let of_launch = self.has_launch_constants && bank == u32::from(LaunchConstants::BANK);
        if of_launch { own.max(Some(LaunchConstants::PLACE.end / 4)) } else { own }
    }

    /// The words of the launch's bank that are missing in front of those that the launch has in it, if any are.
    pub(super) fn missing_constants(&self) -> Option<Range<u32>> {
        let own =
            self.banks.iter().find(|&&(number, _)| number == LaunchConstants::BANK).map_or(0, |&(_, words)| words);
        let missing = own..LaunchConstants::PLACE.start / 4;
        (self.has_launch_constants && !missing.is_empty()).then_some(missing)
    }

    /// Whether this word of a bank, before its end, is missing.
    pub(super) fn is_missing(&self, bank: u8, word: u32) -> bool {
        bank == LaunchConstants::BANK && self.missing_constants().is_some_and(|missing| missing.contains(&word))
    }
}

/// What a table of a function holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableBinding {
    /// Numbers of the launch, see [`launch_words`].
    StageLaunch,
    /// Where the words of input records are, see [`place_words`].
    Inputs,
    /// Where the words of output records are.
    Outputs,
    /// The same, without the words whose stores have no effect.
    Stores,
    /// Where the words of patch records are.
    Patches,
    /// Where the words of input records are, slot by slot.
    InputSlots,
    /// Where the words of output records are, slot by slot.
    OutputSlots,
    /// Where the words of patch records are, slot by slot.
    PatchSlots,
    /// The words of a constant bank, then zeros.
    Bank(u8),
    /// The numbers of the inputs of fragments.
    PixelInputs,
    /// The coefficients of the functions of MUFU, see [`ctm_num::sm50::mufu::coefficients`].
    Coefficients,
    /// A bit for each piece of memory that programs store to.
    StoreRanges,
}

impl TableBinding {
    /// The table of the same records with one entry for each slot: it is shorter than one with an entry for each address.
    pub(super) fn by_slot(self) -> Self {
        match self {
            TableBinding::Inputs => TableBinding::InputSlots,
            TableBinding::Outputs | TableBinding::Stores => TableBinding::OutputSlots,
            TableBinding::Patches => TableBinding::PatchSlots,
            TableBinding::StageLaunch
            | TableBinding::InputSlots
            | TableBinding::OutputSlots
            | TableBinding::PatchSlots
            | TableBinding::Bank(_)
            | TableBinding::PixelInputs
            | TableBinding::Coefficients
            | TableBinding::StoreRanges => self,
        }
    }
}

/// What a buffer of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferBinding {
    /// The input records.
    Inputs,
    /// The output records.
    Outputs,
    /// The patch records.
    Patches,
    /// The index list of the input primitives.
    Indices,
    /// The numbers of the input primitives.
    Ids,
    /// Specialisation about invocations.
    Columns,
    /// The log of emissions.
    Emissions,
    /// An arena of global memory, by its number in the space.
    Global(u32),
    /// The memory that a constant bank is.
    Bank(u8),
    /// The log of accesses to global memory.
    Footprints,
    /// The quads of primitives.
    PixelQuads,
    /// The inputs of fragments that have a value for each pixel.
    PixelValues,
    /// What the inputs of fragments have for each primitive.
    PrimitiveValues,
    /// What fragments leave.
    PixelResults,
    /// What lanes of blocks keep from barrier to barrier.
    State,
    /// The shared memory of blocks.
    Shared,
    /// Who wrote the words of shared memory.
    Writers,
    /// Who read them.
    Readers,
    /// Whose turn it is to change a word in an atomic way.
    Claims,
    /// The same of global memory: some words have a turn together.
    Turns,
    /// The texels of the texture whose handle is this word of a constant bank.
    Texture(u16),
}

/// Entries of [`TableBinding::StageLaunch`].
pub(super) const LAUNCH_ENTRIES: u32 =
    (LaunchEntry::ArenaBytes(MOST_ARENAS as u32 - 1).index() + 1).next_power_of_two();

/// An entry of [`TableBinding::StageLaunch`].
#[derive(Clone, Copy)]
pub(super) enum LaunchEntry {
    Invocations,
    Inputs,
    Patches,
    Emissions,
    /// Invocations of a block, those without a thread included.
    BlockInvocations,
    /// Threads of a block: all, along x, along y, and along all axes in one word.
    BlockThreads,
    BlockX,
    BlockY,
    BlockSize,
    /// Blocks of a grid.
    GridX,
    GridY,
    /// Columns and rows of a window, and quads in a row.
    WindowWidth,
    WindowHeight,
    QuadsAcross,
    /// Primitives that have quads.
    Primitives,
    /// Of a call for blocks: the first invocation, the lanes, the mark of none since the last barrier, and the steps that a lane may take in all.
    FirstOfCall,
    /// The same row of pixels.
    FirstRowOfCall,
    LanesOfCall,
    Phase,
    LaneSteps,
    /// Where an arena of global memory begins.
    ArenaBase(u32),
    ArenaBytes(u32),
}

impl LaunchEntry {
    /// Its number in the table.
    pub const fn index(self) -> u32 {
        match self {
            LaunchEntry::Invocations => 0,
            LaunchEntry::Inputs => 1,
            LaunchEntry::Patches => 2,
            LaunchEntry::Emissions => 3,
            LaunchEntry::BlockInvocations => 4,
            LaunchEntry::BlockThreads => 5,
            LaunchEntry::BlockX => 6,
            LaunchEntry::BlockY => 7,
            LaunchEntry::BlockSize => 8,
            LaunchEntry::GridX => 9,
            LaunchEntry::GridY => 10,
            LaunchEntry::WindowWidth => 11,
            LaunchEntry::WindowHeight => 12,
            LaunchEntry::QuadsAcross => 13,
            LaunchEntry::Primitives => 14,
            LaunchEntry::FirstOfCall => 15,
            LaunchEntry::LanesOfCall => 16,
            LaunchEntry::Phase => 17,
            LaunchEntry::LaneSteps => 18,
            LaunchEntry::FirstRowOfCall => 19,
            LaunchEntry::ArenaBase(arena) => 20 + 2 * arena,
            LaunchEntry::ArenaBytes(arena) => 21 + 2 * arena,
        }
    }
}

/// Numbers of a call for blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockCall {
    /// The first invocation.
    pub first: u32,
    /// The first row of pixels.
    pub first_row: u32,
    /// The invocations.
    pub lanes: u32,
    /// The mark that nobody has set since the last barrier: marks before are less.
    pub mark: u32,
    /// Steps that a lane may take in all calls.
    pub steps: u32,
}

impl BlockCall {
    /// Puts the numbers among the words of a launch.
    pub fn put(&self, words: &mut [u32]) {
        let BlockCall { first, first_row, lanes, mark, steps } = *self;
        let entries = [
            (LaunchEntry::FirstOfCall, first),
            (LaunchEntry::FirstRowOfCall, first_row),
            (LaunchEntry::LanesOfCall, lanes),
            (LaunchEntry::Phase, mark),
            (LaunchEntry::LaneSteps, steps),
        ];
        entries.iter().for_each(|(entry, word)| words[entry.index() as usize] = *word);
    }
}

/// The words of [`TableBinding::StageLaunch`].
pub fn launch_words(launch: &StageLaunch) -> Vec<u32> {
    let mut words = vec![0; LAUNCH_ENTRIES as usize];
    let mut put = |entry: LaunchEntry, word: u32| words[entry.index() as usize] = word;
    put(LaunchEntry::Invocations, launch.invocations.count);
    put(LaunchEntry::Inputs, launch.inputs.map_or(0, |records| records.count()));
    put(LaunchEntry::Patches, launch.patches.map_or(0, |records| records.count()));
    put(LaunchEntry::Emissions, launch.emissions.map_or(0, |emissions| emissions.lanes()));
    if let Some(grid) = launch.grid {
        let ([x, y, _], [across, up, _]) = (grid.block_size(), grid.blocks());
        put(LaunchEntry::BlockInvocations, grid.block_invocations());
        put(LaunchEntry::BlockThreads, grid.block_threads());
        put(LaunchEntry::BlockX, x);
        put(LaunchEntry::BlockY, y);
        put(LaunchEntry::BlockSize, packed(grid.block_size()));
        put(LaunchEntry::GridX, across);
        put(LaunchEntry::GridY, up);
    }
    if let Some(pixels) = launch.pixels {
        let (width, height) = pixels.size().unwrap_or_default();
        put(LaunchEntry::WindowWidth, width);
        put(LaunchEntry::WindowHeight, height);
        put(LaunchEntry::QuadsAcross, quads_across(pixels));
        put(LaunchEntry::Primitives, primitives(pixels));
    }
    let arenas = launch.environment.memory.map_or(&[][..], |memory| memory.arenas());
    for (arena, number) in arenas.iter().zip(0..MOST_ARENAS as u32) {
        put(LaunchEntry::ArenaBase(number), arena.base());
        put(LaunchEntry::ArenaBytes(number), arena.size());
    }
    words
}

/// In a table of places: the word is not there, it reads as 0 and keeps nothing.
pub(super) const ABSENT: u32 = 1;
/// In a table of places: the program must not read the word.
pub(super) const FORBIDDEN: u32 = 2;

/// For tables of places one entry for each attribute word: the byte address of record 0's in the buffer of the records, or a mark that it is
/// not there. Also the numbers of the inputs of fragments; nothing for other tables.
pub fn place_words(launch: &StageLaunch, binding: TableBinding) -> Vec<u32> {
    let header = launch.shader.header.unwrap_or_default();
    let records = match binding {
        TableBinding::Inputs => launch.inputs,
        TableBinding::Patches => launch.patches,
        TableBinding::Outputs | TableBinding::Stores => launch.outputs,
        TableBinding::InputSlots => return slot_words(launch.inputs),
        TableBinding::OutputSlots => return slot_words(launch.outputs),
        TableBinding::PatchSlots => return slot_words(launch.patches),
        TableBinding::PixelInputs => return launch.pixels.map_or_else(Vec::new, input_words),
        TableBinding::StageLaunch | TableBinding::Bank(_) | TableBinding::Coefficients | TableBinding::StoreRanges => {
            return Vec::new();
        }
    };
    let place = |address| {
        let readable = header.imap.contains(address) && !super::attribute::is_special(launch.shader.stage(), address);
        if binding == TableBinding::Inputs && !readable {
            return FORBIDDEN;
        }
        if binding == TableBinding::Stores && !launch.surviving.contains(address) {
            return ABSENT;
        }
        let slot = records.and_then(|records| Some((records.slots().slot(address)?, records.count())));
        slot.map_or(ABSENT, |(slot, count)| 4 * slot * count)
    };
    (0..WORDS as u32).map(|word| place(4 * word)).collect()
}

/// For each slot the byte address of record 0's word in the buffer of the records.
fn slot_words(records: Option<&Records>) -> Vec<u32> {
    let (slots, count) = records.map_or((0, 0), |records| (records.slots().count(), records.count()));
    (0..slots.next_power_of_two()).map(|slot| 4 * slot.wrapping_mul(count)).collect()
}
