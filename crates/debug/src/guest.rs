//! What a guest machine shows to a debugger.

use ctm_follow::{Cell, InstructionPlace, Participation, Pass, Standing};
use ctm_memory::{Space, Surface};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// A run that is executed step by step by the guest's reference. It is at one moment of one group: between two instructions, or at the
/// group's end.
///
/// A step depends on nothing but the group's state, which [`save`](Self::save) takes, and on memory: from the same state and memory it
/// leads to the same.
pub trait Guest {
    /// What it keeps for whoever looks at it.
    fn view(&self) -> &GuestView;

    /// The name of the machine.
    fn machine(&self) -> &'static str {
        self.view().machine
    }

    /// The program's instructions.
    fn listing(&self) -> &Listing {
        &self.view().listing
    }

    /// The memory of the run.
    fn memory(&self) -> &Space {
        &self.view().memory
    }

    /// Whether groups keep to themselves.
    fn is_independent(&self) -> bool {
        self.view().is_independent
    }

    /// What each lane holds.
    fn cells(&self) -> &[Cell] {
        &self.view().cells
    }

    /// The lanes of the group.
    fn lanes(&self) -> &[LaneInfo] {
        &self.view().lanes
    }

    /// Where lanes are.
    fn extent(&self) -> Extent;

    /// Number of groups.
    fn groups(&self) -> u64;

    /// The group that runs the lane at this column and row, if there is such a lane.
    fn group_of(&self, at: (u32, u32)) -> Option<u64>;

    /// What the run leaves for others.
    fn outputs(&self) -> Vec<Output>;

    /// Goes to the start of a group.
    fn start(&mut self, group: u64) -> StepOutcome;

    /// Executes the next instruction. At the end of the group nothing happens.
    fn step(&mut self) -> StepOutcome;

    /// The state of the group, without memory.
    fn save(&self) -> SavedState;

    /// Goes back to a state that was saved of this guest.
    fn restore(&mut self, saved: &SavedState);

    /// The instruction that is next; none at the end.
    fn place(&self) -> Option<InstructionPlace>;

    /// The number in the group that the lane at this column and row has, if it runs there.
    fn lane_number(&self, at: (u32, u32)) -> Option<usize> {
        self.lanes().iter().position(|lane| lane.at == at && lane.runs)
    }

    /// The cells that go to outputs; none where stores do at once.
    fn output_cells(&self) -> Range<usize> {
        0..0
    }

    /// The bits that a lane, by its number in the group, holds in a cell; 0 if there is no such lane or cell.
    fn read(&self, lane: usize, cell: usize) -> u32;

    /// Changes what a lane holds, and says whether that is possible.
    fn write(&mut self, lane: usize, cell: usize, bits: u32) -> bool;

    /// Where a lane stands.
    fn standing(&self, lane: usize) -> Standing;

    /// Whether a lane executes the next instruction, and what of it a predicate holds back.
    fn participation(&self, lane: usize) -> (Participation, String);

    /// The loop that the group is in.
    fn pass(&self) -> Option<Pass>;

    /// Calls, loops and branches that the group is in, the outermost first.
    fn stack(&self) -> Vec<Frame>;
}

/// What a guest keeps for whoever looks at it.
pub struct GuestView {
    /// The name of the machine: `X1K`.
    pub machine: &'static str,
    /// The program's instructions.
    pub listing: Listing,
    /// The memory that the run reads and writes. It records stores.
    pub memory: Space,
    /// No group reads what another one writes, and no two write the same place.
    pub is_independent: bool,
    /// What each lane holds, always in the same order.
    pub cells: Vec<Cell>,
    /// The lanes of the group. A group that is cut at the domain's edge may run in parts one after the other; these are the lanes of
    /// the part that runs.
    pub lanes: Vec<LaneInfo>,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// There is a next instruction.
    Going,
    /// The group has ended.
    Ended,
    /// This error has ended it.
    Trapped(String),
}

/// A state that a guest saved. Clones share it.
#[derive(Clone)]
pub struct SavedState {
    state: Arc<dyn Any + Send + Sync>,
    /// About how many bytes it takes.
    pub bytes: usize,
}

impl SavedState {
    /// A state that takes about so many bytes.
    pub fn new(state: impl Any + Send + Sync, bytes: usize) -> Self {
        SavedState { state: Arc::new(state), bytes }
    }

    /// The state, if it has this type.
    pub fn get<S: Any>(&self) -> Option<&S> {
        self.state.downcast_ref()
    }
}

/// Where lanes are: a rectangle of columns and rows. Lanes in a line have one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// First column and row.
    pub first: (u32, u32),
    /// Number of columns.
    pub columns: u32,
    /// Number of rows.
    pub rows: u32,
}

impl Extent {
    /// From one column and row to another, both included; nothing if the first comes after the last.
    pub fn between(first: (u32, u32), last: (u32, u32)) -> Self {
        let length = |first: u32, last: u32| last.checked_sub(first).map_or(0, |rest| rest.saturating_add(1));
        match (length(first.0, last.0), length(first.1, last.1)) {
            (0, _) | (_, 0) => Extent { first, columns: 0, rows: 0 },
            (columns, rows) => Extent { first, columns, rows },
        }
    }
}

/// A lane of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneInfo {
    /// Its column and row.
    pub at: (u32, u32),
    /// It runs the program; otherwise it is a helper of its quad, or not there.
    pub runs: bool,
}

/// A call, loop or branch that a group is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: FrameKind,
    /// More about it, in the machine's words.
    pub text: String,
    /// Where the group goes when it is left, if that is known.
    pub returns: Option<InstructionPlace>,
}

/// What is on the stack of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A call.
    Call,
    /// A loop.
    Loop,
    /// A branch, or lanes that meet again.
    Branch,
}

/// The instructions of a program.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// One row for each instruction, in the order of their places.
    pub rows: Vec<ListingRow>,
    /// Source texts that rows name.
    pub sources: Vec<SourceText>,
}

/// An instruction of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingRow {
    /// Where it is.
    pub place: InstructionPlace,
    /// Its address, as the machine's listings write it.
    pub address: String,
    /// The instruction, in one line.
    pub text: String,
    /// Labels that stand before it.
    pub labels: Vec<String>,
    /// The source line that it comes from: number of the source, and line from 1.
    pub line: Option<(usize, u32)>,
}

/// A source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Its name, usually a path.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Listing {
    /// The number of the row of a place.
    pub fn row(&self, place: InstructionPlace) -> Option<usize> {
        self.rows.binary_search_by_key(&place, |row| row.place).ok()
    }

    /// The source line of a place.
    pub fn line(&self, place: InstructionPlace) -> Option<(usize, u32)> {
        self.rows[self.row(place)?].line
    }

    /// The place of a label, or of an address as listings write it.
    pub fn find(&self, name: &str) -> Option<InstructionPlace> {
        let labelled = self.rows.iter().find(|row| row.labels.iter().any(|label| label == name));
        labelled.or_else(|| self.rows.iter().find(|row| row.address == name)).map(|row| row.place)
    }

    /// The first place of the first line with code at or after this one of a source.
    pub fn place_of_line(&self, source: usize, line: u32) -> Option<(InstructionPlace, u32)> {
        let rows = self.rows.iter().filter_map(|row| Some((row.line?, row.place)));
        let behind = rows.filter(|((of, at), _)| *of == source && *at >= line);
        behind.min_by_key(|((_, at), place)| (*at, *place)).map(|((_, at), place)| (place, at))
    }
}

/// Something that a run leaves in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub elements: OutputElements,
}

/// The elements of an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutputElements {
    /// A surface, with an element for each position.
    Surface(Surface),
    /// 32-bit words: `words` of each lane, whose first is `stride` bytes after that of the lane before.
    Lanes {
        /// Address of the first word.
        base: u32,
        /// Bytes from lane to lane of a row.
        stride: u32,
        /// Bytes from row to row; 0 if the row of a lane does not matter.
        row_stride: u64,
        /// Words of a lane.
        words: u32,
    },
    /// A 32-bit word of each lane, where lanes come in quads of two by two: those of a row of quads lie one after the other, the lanes of a
    /// quad row by row.
    Quads {
        /// Address of the first word.
        base: u32,
        /// Columns and rows of lanes.
        size: (u32, u32),
    },
    /// Bytes that belong to no lane more than to another.
    Shared {
        /// Address of the first byte.
        base: u32,
        /// How many.
        bytes: u32,
    },
}

impl Output {
    /// The addresses of the bytes that belong to the lane at this column and row, if it has some.
    pub fn bytes_of(&self, (column, row): (u32, u32)) -> Option<Range<u32>> {
        match self.elements {
            OutputElements::Surface(surface) => {
                let inside = column < surface.pitch && (surface.height == 0 || row < surface.height);
                let first = inside.then(|| surface.address(column, row))?;
                Some(first..first.checked_add(surface.format.bytes_per_element())?)
            }
            OutputElements::Lanes { base, stride, row_stride, words } => {
                let in_row = u64::from(stride) * u64::from(column);
                let behind = row_stride.checked_mul(row.into())?.checked_add(in_row)?;
                let first = base.checked_add(u32::try_from(behind).ok()?)?;
                Some(first..first.checked_add(words.checked_mul(4)?)?)
            }
            OutputElements::Quads { base, size: (columns, rows) } => {
                let is_inside = column < columns && row < rows;
                let quad = u64::from(row / 2) * u64::from(columns.div_ceil(2)) + u64::from(column / 2);
                let word = 4 * quad + u64::from(row % 2 * 2 + column % 2);
                let first = base.checked_add(u32::try_from(4 * word).ok()?).filter(|_| is_inside)?;
                Some(first..first.checked_add(4)?)
            }
            OutputElements::Shared { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_quads() {
        let elements = OutputElements::Quads { base: 0x1000, size: (5, 3) };
        let output = Output { name: "colour".into(), elements };
        let word = |n: u32| Some(0x1000 + 4 * n..0x1004 + 4 * n);
        assert_eq!([(0, 0), (1, 0), (0, 1), (1, 1)].map(|lane| output.bytes_of(lane)), [0, 1, 2, 3].map(word));
        assert_eq!([(2, 0), (4, 1), (4, 2)].map(|lane| output.bytes_of(lane)), [4, 10, 20].map(word));
        assert_eq!([(5, 0), (0, 3)].map(|lane| output.bytes_of(lane)), [None, None]);
    }

    #[test]
    fn lanes_of_a_line_have_rows() {
        let output = |row_stride, words| Output {
            name: "vectors".into(),
            elements: OutputElements::Lanes { base: 0x1000, stride: 32, row_stride, words },
        };
        assert_eq!(output(1 << 21, 4).bytes_of((3, 0)), Some(0x1060..0x1070));
        assert_eq!(output(1 << 21, 4).bytes_of((3, 2)), Some(0x40_1060..0x40_1070));
        assert_eq!(output(0, 4).bytes_of((3, 2)), Some(0x1060..0x1070));
        for (row_stride, words, lane) in [
            (1 << 21, 4, (0, 4096)),
            (u64::MAX, 4, (0, 2)),
            (u64::MAX, 4, (1, 1)),
            (0, 4, (u32::MAX, 0)),
            (0, u32::MAX, (0, 0)),
        ] {
            assert_eq!(output(row_stride, words).bytes_of(lane), None);
        }
    }
}
