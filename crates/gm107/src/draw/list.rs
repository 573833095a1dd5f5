//! The vertices between the beginning and the end of a draw. Ranges stay ranges, and indices of memory are read when it is drawn: what a
//! list takes depends on how much the stream says, not on how much it names.

use super::primitive_of;
use crate::methods::{DrawTfbBase, DrawTfbStride, VertexBeginGl};
use crate::state::Channel;
use ctm_card::register::RegisterType;
use ctm_sm50::pipeline::Primitive;

/// Runs of a list at most.
const MOST_RUNS: usize = 1 << 20;
/// Indices of a list at most that the stream has itself.
const MOST_INDICES: usize = 1 << 24;

/// Where the numbers of vertices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSource {
    /// They follow each other from this one on.
    Range(u32),
    /// They are indices in memory, from this one on.
    Memory(u32),
    /// They are indices of the stream, from this place in the list on.
    Stream(usize),
}

/// Vertices that come one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where their numbers come from.
    pub source: RunSource,
    /// How many there are.
    pub count: u32,
    /// Their edge flag.
    pub edge: bool,
}

/// The vertices between the beginning and the end of a draw.
#[derive(Clone, Debug, Default)]
pub struct DrawList {
    begin: u32,
    instance: u32,
    runs: Vec<Run>,
    indices: Vec<u32>,
    is_full: bool,
}

impl DrawList {
    /// Begins a draw with the word of `VERTEX_BEGIN_GL`.
    pub fn begin(&mut self, word: u32) {
        let begin = VertexBeginGl::decode(word);
        self.begin = word;
        self.instance = match (begin.instance_next, begin.instance_cont) {
            (true, _) => self.instance.wrapping_add(1),
            (false, true) => self.instance,
            (false, false) => 0,
        };
        self.runs.clear();
        self.indices.clear();
        self.is_full = false;
    }

    /// Appends a range of indices. The edge flag of this and all others is the one of the time.
    pub fn arrays(&mut self, first: u32, count: u32, edge: bool) {
        if let Some(last) = self.runs.last_mut()
            && let RunSource::Range(start) = last.source
            && u64::from(start) + u64::from(last.count) == u64::from(first)
            && last.edge == edge
            && let Some(count) = last.count.checked_add(count)
        {
            last.count = count;
            return;
        }
        self.append(RunSource::Range(first), count, edge);
    }

    /// Appends indices of the index buffer.
    pub fn elements(&mut self, first: u32, count: u32, edge: bool) {
        self.append(RunSource::Memory(first), count, edge);
    }

    /// Appends an index.
    pub fn inline_u32(&mut self, word: u32, edge: bool) {
        self.inline(&[word], edge);
    }

    /// Appends two indices, the low one first.
    pub fn inline_u16(&mut self, word: u32, edge: bool) {
        self.inline(&[word & 0xFFFF, word >> 16], edge);
    }

    /// Appends four indices, the low one first.
    pub fn inline_u8(&mut self, word: u32, edge: bool) {
        self.inline(&word.to_le_bytes().map(u32::from), edge);
    }

    /// Appends the vertices that feedback has written up to so many bytes, in the state of the time.
    pub fn feedback_bytes(&mut self, channel: &Channel, bytes: u32, edge: bool) {
        let base = channel.three_d.get::<DrawTfbBase>().value;
        let stride = channel.three_d.get::<DrawTfbStride>().value;
        self.arrays(0, bytes.wrapping_sub(base).checked_div(stride).unwrap_or(0), edge);
    }

    /// How many vertices it has.
    pub fn vertices(&self) -> u64 {
        self.runs.iter().map(|run| u64::from(run.count)).sum()
    }

    /// What they are drawn as; `None` if that is nothing known.
    pub fn primitive(&self) -> Option<Primitive> {
        primitive_of(self.begin)
    }

    /// The instance that they are drawn for.
    pub fn instance(&self) -> u32 {
        self.instance
    }

    /// The vertices, in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Indices of the stream.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Whether vertices were left out, because there were too many pieces of the list.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    fn inline(&mut self, indices: &[u32], edge: bool) {
        if self.indices.len() + indices.len() > MOST_INDICES {
            self.is_full = true;
            return;
        }
        let (place, count) = (self.indices.len(), indices.len() as u32);
        self.indices.extend_from_slice(indices);
        match self.runs.last_mut() {
            // Nothing else has come since: the places follow each other.
            Some(Run { source: RunSource::Stream(_), count: all, edge: same }) if *same == edge => *all += count,
            Some(_) | None => self.append(RunSource::Stream(place), count, edge),
        }
    }

    fn append(&mut self, source: RunSource, count: u32, edge: bool) {
        if self.runs.len() == MOST_RUNS {
            self.is_full = true;
        } else if count > 0 {
            self.runs.push(Run { source, count, edge });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_counted_from_a_draw_without_flags() {
        let mut list = DrawList::default();
        let instances: Vec<u32> = [4, 1 << 26 | 4, 1 << 26 | 4, 1 << 27 | 4, 5]
            .into_iter()
            .map(|word| {
                list.begin(word);
                list.instance()
            })
            .collect();
        assert_eq!((instances, list.primitive()), (vec![0, 1, 2, 2, 0], Some(Primitive::TriangleStrip)));
        list.begin(15);
        assert_eq!(list.primitive(), None);
    }

    #[test]
    fn what_follows_is_joined() {
        let mut list = DrawList::default();
        list.begin(0);
        list.arrays(5, 3, true);
        list.arrays(8, 2, true);
        list.arrays(10, 1, false);
        list.arrays(0, 0, false);
        list.inline_u8(0x0403_0201, true);
        list.inline_u16(0x0006_0005, true);
        list.inline_u32(7, false);
        list.elements(2, u32::MAX, true);
        let run = |source, count, edge| Run { source, count, edge };
        let expected = [
            run(RunSource::Range(5), 5, true),
            run(RunSource::Range(10), 1, false),
            run(RunSource::Stream(0), 6, true),
            run(RunSource::Stream(6), 1, false),
            run(RunSource::Memory(2), u32::MAX, true),
        ];
        assert_eq!((list.runs(), list.indices()), (&expected[..], &[1, 2, 3, 4, 5, 6, 7][..]));
        assert_eq!(list.vertices(), 13 + u64::from(u32::MAX));
        list.begin(0);
        assert_eq!((list.runs().len(), list.indices().len(), list.vertices()), (0, 0, 0));
    }

    #[test]
    fn feedback_says_how_many_vertices_there_are() {
        let mut channel = Channel::default();
        channel.three_d.write(DrawTfbBase::ADDRESS, 16);
        let mut list = DrawList::default();
        list.begin(0);
        list.feedback_bytes(&channel, 100, true);
        assert_eq!(list.vertices(), 0, "there is no stride");
        channel.three_d.write(DrawTfbStride::ADDRESS, 12);
        list.feedback_bytes(&channel, 100, true);
        assert_eq!(list.runs(), [Run { source: RunSource::Range(0), count: 7, edge: true }]);
    }
}
