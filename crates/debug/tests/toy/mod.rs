//! A machine of ten instructions, to debug. Its groups are two neighbours of a row of six lanes; the odd ones of them skip an instruction, and
//! wait while the others are in a call.
//!
//! ```text
//!           0  add t[0].r, 1
//!           1  loop 3
//! again:    2  add n, column + 1     (even lanes)
//!           3  store out, n
//!           4  endloop
//!           5  call sub              (even lanes)
//!           6  mov t[0].g, column    (odd lanes: a NaN)
//!           7  end
//! sub:      8  mul n, 2
//!           9  ret
//! ```
//!
//! A group makes 16 steps: 0, 1, three times 2, 3 and 4, and 5, 8, 9, 6, 7.
#![allow(dead_code, reason = "each test takes what it needs")]

use ctm_debug::{
    Extent, Frame, FrameKind, Guest, GuestView, LaneInfo, Listing, ListingRow, Output, OutputElements, SavedState,
    Session, SourceText, StepOutcome,
};
use ctm_follow::{Cell, InstructionPlace, Participation, Pass, Standing, ValueKind};
use ctm_memory::Space;

/// Steps of a group.
pub const STEPS: u64 = 16;
/// Where the outputs are: a word for each lane, and one that counts what was stored.
pub const OUT: u32 = 0x10_0000;
pub const TOTAL: u32 = OUT + 0x100;
/// Numbers of cells.
pub const GREEN: usize = 1;
pub const N: usize = 2;
pub const P: usize = 3;

/// How runs differ.
#[derive(Clone, Copy, Default)]
pub struct Options {
    /// Stores count in one word, so that groups depend on each other.
    pub counts: bool,
    /// The instruction at address 6 ends this group.
    pub trap: Option<u64>,
    /// Passes of the loop instead of three.
    pub passes: Option<u32>,
    /// The instruction at this address is one that all lanes skip.
    pub skipped: Option<u32>,
    /// No instruction has a line of the source.
    pub has_no_lines: bool,
}

/// The machine as it stands above.
pub const PLAIN: Options = Options { counts: false, trap: None, passes: None, skipped: None, has_no_lines: false };
/// Stores count in one word.
pub const COUNTS: Options = Options { counts: true, ..PLAIN };

#[derive(Clone)]
struct State {
    group: u64,
    pc: Option<u32>,
    pass: Option<u32>,
    in_call: bool,
    /// What each lane holds.
    cells: [[u32; 4]; 2],
}

pub struct Toy {
    options: Options,
    shown: GuestView,
    state: State,
}

/// A session at the start of the group of a lane.
pub fn session(lane: u32, options: Options) -> Session {
    Session::new(Box::new(Toy::new(options)), (lane, 0), &|| false).expect("there is such a lane")
}

fn listing(options: Options) -> Listing {
    let texts = [
        ("add t[0].r, 1", 2),
        ("loop 3", 3),
        ("add n, column + 1", 4),
        ("store out, n", 4),
        ("endloop", 5),
        ("call sub", 6),
        ("mov t[0].g, column", 7),
        ("end", 8),
        ("mul n, 2", 10),
        ("ret", 11),
    ];
    let row = |(at, (text, line)): (usize, (&str, u32))| ListingRow {
        place: InstructionPlace::from(at as u32),
        address: at.to_string(),
        text: text.into(),
        labels: match at {
            2 => vec!["again".into()],
            8 => vec!["sub".into(), "twice".into()],
            _ => Vec::new(),
        },
        // The end has no line.
        line: (at != 7 && !options.has_no_lines).then_some((0, line)),
    };
    let source = SourceText { name: "src/toy".into(), text: String::new() };
    Listing { rows: texts.into_iter().enumerate().map(row).collect(), sources: vec![source] }
}

impl Toy {
    pub fn new(options: Options) -> Self {
        let mut memory = Space::default();
        assert_eq!(memory.append(0x800), Ok(OUT));
        memory.record();
        let cell = |pattern, channel, kind| Cell { pattern, number: 0, channel, kind, echoes: false };
        let shown = GuestView {
            machine: "toy",
            listing: listing(options),
            memory,
            is_independent: !options.counts,
            cells: vec![
                cell("t[#]", Some('r'), ValueKind::Float),
                cell("t[#]", Some('g'), ValueKind::Float),
                cell("n", None, ValueKind::Integer),
                cell("p", None, ValueKind::Truth),
            ],
            lanes: Vec::new(),
        };
        let state = State { group: 0, pc: None, pass: None, in_call: false, cells: [[0; 4]; 2] };
        Toy { options, shown, state }
    }

    fn column(&self, lane: usize) -> u32 {
        2 * self.state.group as u32 + lane as u32
    }

    /// Stores a word, which the journal of memory notes.
    fn store(&self, address: u32, word: u32) {
        assert!(self.shown.memory.store(address, word, 4));
    }

    fn load(&self, address: u32) -> u32 {
        let mut bytes = [0; 4];
        self.shown.memory.read_bytes(address, &mut bytes).expect("memory");
        u32::from_le_bytes(bytes)
    }
}

impl Guest for Toy {
    fn view(&self) -> &GuestView {
        &self.shown
    }
    fn extent(&self) -> Extent {
        Extent::between((0, 0), (5, 0))
    }
    fn groups(&self) -> u64 {
        3
    }
    fn group_of(&self, (column, row): (u32, u32)) -> Option<u64> {
        (column < 6 && row == 0).then_some(u64::from(column) / 2)
    }
    fn outputs(&self) -> Vec<Output> {
        let lanes = OutputElements::Lanes { base: OUT, stride: 4, row_stride: 0, words: 1 };
        let shared = OutputElements::Shared { base: TOTAL, bytes: 4 };
        let output = |name: &str, elements| Output { name: name.into(), elements };
        vec![output("out", lanes), output("total", shared)]
    }
    fn start(&mut self, group: u64) -> StepOutcome {
        let is_even = [0, 0, 0, 1];
        self.state = State { group, pc: Some(0), pass: None, in_call: false, cells: [is_even, [0; 4]] };
        self.shown.lanes = (0..2).map(|lane| LaneInfo { at: (self.column(lane), 0), runs: true }).collect();
        StepOutcome::Going
    }
    fn step(&mut self) -> StepOutcome {
        let Some(pc) = self.state.pc else { return StepOutcome::Ended };
        self.state.pc = Some(pc + 1);
        for lane in 0..2 {
            let column = self.column(lane);
            let is_even = lane == 0;
            let [red, green, n, _] = &mut self.state.cells[lane];
            match pc {
                _ if self.options.skipped == Some(pc) => {}
                0 => *red = (f32::from_bits(*red) + 1.0).to_bits(),
                2 if is_even => *n += column + 1,
                6 => *green = if is_even { (column as f32).to_bits() } else { 0x7FC0_0000 },
                8 if is_even => *n *= 2,
                _ => {}
            }
            if pc == 3 {
                self.store(OUT + 4 * column, self.state.cells[lane][N]);
            }
        }
        match pc {
            1 => self.state.pass = Some(1),
            3 if self.options.counts => self.store(TOTAL, self.load(TOTAL) + 1),
            4 if self.state.pass == Some(self.options.passes.unwrap_or(3)) => self.state.pass = None,
            4 => (self.state.pc, self.state.pass) = (Some(2), self.state.pass.map(|pass| pass + 1)),
            5 => (self.state.pc, self.state.in_call) = (Some(8), true),
            6 if self.options.trap == Some(self.state.group) => {
                self.state.pc = None;
                return StepOutcome::Trapped("boom".into());
            }
            7 => self.state.pc = None,
            9 => (self.state.pc, self.state.in_call) = (Some(6), false),
            _ => {}
        }
        if self.state.pc.is_some() { StepOutcome::Going } else { StepOutcome::Ended }
    }
    fn save(&self) -> SavedState {
        SavedState::new(self.state.clone(), 64)
    }
    fn restore(&mut self, saved: &SavedState) {
        self.state = saved.get::<State>().expect("a state of this machine").clone();
    }
    fn place(&self) -> Option<InstructionPlace> {
        self.state.pc.map(InstructionPlace::from)
    }
    fn read(&self, lane: usize, cell: usize) -> u32 {
        self.state.cells.get(lane).and_then(|cells| cells.get(cell)).copied().unwrap_or_default()
    }
    fn write(&mut self, lane: usize, cell: usize, bits: u32) -> bool {
        let may = cell < P;
        if may {
            self.state.cells[lane][cell] = bits;
        }
        may
    }
    fn standing(&self, lane: usize) -> Standing {
        match self.state.pc {
            None => Standing::Ended,
            Some(_) if self.state.in_call && lane == 1 => Standing::Branch(None),
            Some(_) => Standing::Active,
        }
    }
    fn participation(&self, lane: usize) -> (Participation, String) {
        let participation = match self.state.pc {
            None => Participation::Waits(None),
            Some(_) if self.state.in_call && lane == 1 => Participation::Waits(Some(5.into())),
            Some(pc) if self.options.skipped == Some(pc) => Participation::Skips("none".into()),
            Some(2) if lane == 1 => Participation::Skips("p".into()),
            Some(_) => Participation::Executes,
        };
        (participation, String::new())
    }
    fn pass(&self) -> Option<Pass> {
        self.state.pass.map(|number| Pass { depth: 1, number, of: self.options.passes.or(Some(3)) })
    }
    fn stack(&self) -> Vec<Frame> {
        let frame = |kind, text: &str, returns| Frame { kind, text: text.into(), returns };
        let loops = self.state.pass.map(|_| frame(FrameKind::Loop, "loop", None));
        let calls = self.state.in_call.then(|| frame(FrameKind::Call, "sub", Some(6.into())));
        loops.into_iter().chain(calls).collect()
    }
}
