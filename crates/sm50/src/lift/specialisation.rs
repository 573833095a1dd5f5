//! What the function of a program depends on, and what its names stand for.

use crate::attributes::{Slots, WORDS};
use crate::header::{AttributeMap, Header, Stage};
use crate::launch::{Constants, Launch};

/// Everything that the function of a program depends on, beside its code.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Specialisation {
    /// The program's header; empty for compute code.
    pub header: Header,
    /// Its stage.
    pub stage: Stage,
    /// Bytes of local memory.
    pub local_memory: u32,
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
    /// SR_Y_DIRECTION.
    pub y_direction: u32,
    /// Geometry: emissions are logged.
    pub emits: bool,
}

impl Specialisation {
    /// What is known of a launch; `None` if it is one for the reference.
    pub fn of(launch: &Launch) -> Option<Specialisation> {
        let (shader, count) = (&launch.shader, launch.invocations.count);
        let header = shader.header.unwrap_or_default();
        let per_lane = if shader.stage() == Stage::Geometry { header.max_output_vertex_count.into() } else { 1 };
        let own_records = u64::from(count) * per_lane;
        let fits = |records: &crate::attributes::Records, needed: u64| u64::from(records.count()) >= needed;
        let has_records = launch.outputs.is_none_or(|outputs| fits(outputs, own_records))
            && (shader.stage() != Stage::Vertex || launch.inputs.is_none_or(|inputs| fits(inputs, count.into())));
        let has_log = launch.emissions.is_none_or(|emissions| {
            emissions.lanes() >= count && emissions.capacity() >= 2 * u32::from(header.max_output_vertex_count)
        });
        let of_banks = |constants: &Constants| {
            let bank = |number| Some((number, constants.bank(number)?.len() as u32));
            (0..Constants::BANKS).filter_map(bank).collect()
        };
        (has_records && has_log && launch.grid.is_none()).then(|| Specialisation {
            header,
            stage: shader.stage(),
            local_memory: shader.local_memory,
            is_long: count > 1 << 16,
            has_columns: launch.invocations.columns.is_some(),
            inputs: launch.inputs.map(|records| records.slots().clone()),
            outputs: launch.outputs.map(|records| records.slots().clone()),
            patches: launch.patches.map(|records| records.slots().clone()),
            surviving: launch.surviving,
            primitive_vertices: launch.primitives.map(|primitives| primitives.vertices),
            banks: of_banks(&launch.environment.constants),
            y_direction: launch.environment.y_direction,
            emits: launch.emissions.is_some(),
        })
    }

    /// Words of a constant bank.
    pub(super) fn bank(&self, bank: u32) -> Option<u32> {
        self.banks.iter().find(|&&(number, _)| u32::from(number) == bank).map(|&(_, words)| words)
    }
}

/// What a table of a function holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableBinding {
    /// Numbers of the launch, see [`launch_words`].
    Launch,
    /// Where the words of input records are, see [`place_words`].
    Inputs,
    /// Where the words of output records are.
    Outputs,
    /// The same, without the words whose stores have no effect.
    Stores,
    /// Where the words of patch records are.
    Patches,
    /// The words of a constant bank, then zeros.
    Bank(u8),
    /// The coefficients of the functions of MUFU, see [`ctm_num::sm50::mufu::coefficients`].
    Coefficients,
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
}

/// Entries of [`TableBinding::Launch`].
pub(super) const LAUNCH_ENTRIES: u32 = 4;

/// An entry of [`TableBinding::Launch`].
#[derive(Clone, Copy)]
pub(super) enum LaunchEntry {
    Invocations,
    Inputs,
    Patches,
    Emissions,
}

/// The words of [`TableBinding::Launch`]: invocations, input records, patch records, lanes that emit.
pub fn launch_words(launch: &Launch) -> Vec<u32> {
    vec![
        launch.invocations.count,
        launch.inputs.map_or(0, |records| records.count()),
        launch.patches.map_or(0, |records| records.count()),
        launch.emissions.map_or(0, |emissions| emissions.lanes()),
    ]
}

/// In a table of places: the word is not there, it reads as 0 and keeps nothing.
pub(super) const ABSENT: u32 = 1;
/// In a table of places: the program must not read the word.
pub(super) const FORBIDDEN: u32 = 2;

/// One entry for each attribute word: the byte address of record 0's in the buffer of the records, or a mark that it is not
/// there. Empty for roles that are no places.
pub fn place_words(launch: &Launch, binding: TableBinding) -> Vec<u32> {
    let header = launch.shader.header.unwrap_or_default();
    let records = match binding {
        TableBinding::Inputs => launch.inputs,
        TableBinding::Patches => launch.patches,
        TableBinding::Outputs | TableBinding::Stores => launch.outputs,
        TableBinding::Launch | TableBinding::Bank(_) | TableBinding::Coefficients => return Vec::new(),
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
