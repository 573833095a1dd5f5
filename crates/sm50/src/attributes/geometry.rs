//! What geometry programs emit: the state that OUT threads through the code, the log of events, and its way to the host.

use super::words::{NoMemory, Words};
use crate::codes::OutStyle;
use ctm_memory::Buffer;

/// The state register of a geometry program: vertices emitted so far (also the vertex being filled) in bits 11:0, events
/// logged so far in bits 31:12. It starts as 0. (Decision S21: the machine's encoding is not public; this one starts at 0 and
/// needs nothing but the log.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The vertex being filled.
    pub vertex: u32,
    /// Events so far.
    pub events: u32,
}

impl From<u32> for State {
    fn from(bits: u32) -> State {
        State { vertex: bits & 0xFFF, events: bits >> 12 }
    }
}

impl From<State> for u32 {
    fn from(state: State) -> u32 {
        state.vertex & 0xFFF | state.events << 12
    }
}

/// Something that OUT logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A vertex goes to a stream.
    Emit {
        /// The stream, 0 to 3.
        stream: u8,
        /// The vertex, in the order of emission.
        vertex: u16,
    },
    /// The strip of a stream ends.
    Cut {
        /// The stream, 0 to 3.
        stream: u8,
    },
}

impl Event {
    fn encode(self) -> u32 {
        match self {
            Event::Emit { stream, vertex } => u32::from(stream) | u32::from(vertex) << 3,
            Event::Cut { stream } => u32::from(stream) | 4,
        }
    }

    fn decode(word: u32) -> Event {
        let stream = (word & 3) as u8;
        if word & 4 != 0 { Event::Cut { stream } } else { Event::Emit { stream, vertex: (word >> 3) as u16 } }
    }
}

/// The events of one lane of a geometry program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    events: Vec<Event>,
    /// What the last OUT gave.
    last: u32,
}

/// A state from beyond the end of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleState;

impl Log {
    /// Starts anew.
    pub fn clear(&mut self) {
        self.events.clear();
        self.last = 0;
    }

    /// The events so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Vertices that the log emits.
    pub fn emitted(&self) -> u32 {
        self.events.iter().filter(|event| matches!(event, Event::Emit { .. })).count() as u32
    }

    /// OUT: continues the log from where `state` stands. The new state comes with whether the old one was sound.
    ///
    /// A vertex beyond the header's count is not emitted; a cut is logged all the same.
    pub fn out(
        &mut self,
        style: OutStyle,
        state: u32,
        stream: u32,
        max_vertices: u32,
    ) -> (u32, Result<(), StaleState>) {
        let mut state = State::from(state);
        let sound = if state.events as usize > self.events.len() { Err(StaleState) } else { Ok(()) };
        self.events.truncate(state.events as usize);
        let stream = (stream & 3) as u8;
        if matches!(style, OutStyle::Emit | OutStyle::EmitThenCut) && state.vertex < max_vertices {
            self.events.push(Event::Emit { stream, vertex: state.vertex as u16 });
            state.vertex += 1;
        }
        if matches!(style, OutStyle::Cut | OutStyle::EmitThenCut) {
            self.events.push(Event::Cut { stream });
        }
        state.events = self.events.len() as u32;
        self.last = state.into();
        (self.last, sound)
    }

    /// The end of the lane with `state` in R0: what the log has beyond it is lost. Sound if it is the last OUT's.
    pub fn exit(&mut self, state: u32) -> Result<(), StaleState> {
        self.events.truncate(State::from(state).events as usize);
        if state == self.last { Ok(()) } else { Err(StaleState) }
    }
}

/// The events of all lanes of a launch, for the host. Cuts that end nothing are left out, so that a lane has at most two
/// events for each vertex. Dword n is the number of lane n's events; its event k is dword (k + 1) * lanes + n: the stream in
/// bits 1:0, bit 2 for a cut, the vertex from bit 3 on.
#[derive(Clone, Debug)]
pub struct Emissions {
    lanes: u32,
    capacity: u32,
    words: Words,
}

impl Emissions {
    /// Capacity for `lanes` lanes that emit up to `max_vertices` vertices each.
    ///
    /// # Errors
    /// If the host has no memory for it, or it takes 4 GiB or more.
    pub fn new(lanes: u32, max_vertices: u32) -> Result<Emissions, NoMemory> {
        let capacity = 2 * max_vertices;
        Ok(Emissions { lanes, capacity, words: Words::new(u64::from(lanes) * (u64::from(capacity) + 1))? })
    }

    /// The memory of the events.
    pub fn buffer(&self) -> Buffer<'_> {
        self.words.buffer()
    }

    /// The events' words.
    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    /// Space for as many events in other words.
    pub(crate) fn with_words(&self, words: Words) -> Emissions {
        Emissions { words, ..*self }
    }

    /// Lanes that fit.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// Events of a lane that fit.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Writes down a lane's events. What an executor that gave up before has left after them goes.
    pub(crate) fn record(&self, lane: u32, log: &Log) {
        let buffer = self.words.buffer();
        let mut open = [false; 4];
        let mut count = 0;
        for &event in log.events() {
            let keep = match event {
                Event::Emit { stream, .. } => {
                    open[usize::from(stream)] = true;
                    true
                }
                Event::Cut { stream } => std::mem::take(&mut open[usize::from(stream)]),
            };
            if keep && count < self.capacity {
                count += 1;
                buffer.store(4 * (count * self.lanes + lane), event.encode());
            }
        }
        buffer.store(4 * lane, count);
        for event in count + 1..=self.capacity {
            buffer.store(4 * (event * self.lanes + lane), 0);
        }
    }

    /// The events of a lane.
    pub fn events(&self, lane: u32) -> impl Iterator<Item = Event> + '_ {
        let buffer = self.words.buffer();
        let count = buffer.load(4 * lane).min(self.capacity);
        (1..=count).map(move |k| Event::decode(buffer.load(4 * (k * self.lanes + lane))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMIT: OutStyle = OutStyle::Emit;
    const CUT: OutStyle = OutStyle::Cut;

    #[test]
    fn the_state_counts_vertices_and_events() {
        let mut log = Log::default();
        let (first, sound) = log.out(EMIT, 0, 0, 3);
        assert_eq!((first, sound), (0x1001, Ok(())));
        let (second, _) = log.out(OutStyle::EmitThenCut, first, 6, 3);
        assert_eq!(second, 0x3002);
        let events =
            [Event::Emit { stream: 0, vertex: 0 }, Event::Emit { stream: 2, vertex: 1 }, Event::Cut { stream: 2 }];
        assert_eq!(log.events(), events);
        assert_eq!(log.exit(second), Ok(()));
        assert_eq!(log.events().len(), 3);
    }

    #[test]
    fn an_old_state_takes_back_what_came_after_it() {
        let mut log = Log::default();
        let (first, _) = log.out(EMIT, 0, 0, 9);
        let (second, _) = log.out(EMIT, first, 0, 9);
        let (again, sound) = log.out(EMIT, first, 1, 9);
        assert_eq!((again, sound), (second, Ok(())));
        assert_eq!(log.events()[1], Event::Emit { stream: 1, vertex: 1 });
        assert_eq!(log.exit(0), Err(StaleState), "R0 = 0 loses everything");
        assert!(log.events().is_empty());
        assert_eq!(log.out(CUT, 5 << 12, 0, 9), (0x1000, Err(StaleState)), "the log has no five events");
    }

    #[test]
    fn vertices_beyond_the_count_are_not_emitted() {
        let mut log = Log::default();
        let (state, _) = log.out(EMIT, 0, 0, 1);
        let (state, _) = log.out(EMIT, state, 0, 1);
        assert_eq!(state, 0x1001);
        let (state, _) = log.out(OutStyle::EmitThenCut, state, 0, 1);
        assert_eq!((state, log.emitted()), (0x2001, 1));
    }

    #[test]
    fn cuts_of_nothing_do_not_reach_the_host() {
        let emissions = Emissions::new(3, 2).unwrap();
        let mut log = Log::default();
        let mut state = 0;
        for style in [CUT, EMIT, CUT, CUT, EMIT, CUT, CUT] {
            state = log.out(style, state, 0, 2).0;
        }
        assert_eq!(log.events().len(), 7);
        emissions.record(1, &log);
        let (emit, cut) = (|vertex| Event::Emit { stream: 0, vertex }, Event::Cut { stream: 0 });
        assert_eq!(emissions.events(1).collect::<Vec<_>>(), [emit(0), cut, emit(1), cut]);
        assert_eq!(emissions.events(0).count(), 0);
    }
}
