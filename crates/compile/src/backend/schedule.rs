//! The order of operations in a block, and which of them go into one instruction: the longest way to the end of the block first, and with it whatever fits.

use super::bundle::{Bundle, Lanes, compose};
use super::machine::{Access, Code, Op, Target, Web};
use super::operand::Literals;
use super::place::{ALPHA, Place, Places, Vector, colour_channels};

/// An instruction before registers are chosen.
#[derive(Clone, Debug)]
pub(super) enum Issue {
    /// Arithmetic, with the webs that it reads and writes.
    Alu(Box<Bundle>, Vec<Web>, Vec<Web>),
    /// A fetch or a kill.
    Texture(Op),
}

impl Issue {
    /// The highest number of a value that it gives.
    pub fn order(&self) -> u32 {
        match self {
            Issue::Alu(bundle, ..) => bundle.order,
            Issue::Texture(op) => op.order,
        }
    }
}

impl Access for Issue {
    fn reads(&self) -> Vec<Web> {
        match self {
            Issue::Alu(_, reads, _) => reads.clone(),
            Issue::Texture(op) => op.reads().collect(),
        }
    }

    fn writes(&self) -> Vec<Web> {
        match self {
            Issue::Alu(_, _, writes) => writes.clone(),
            Issue::Texture(op) => op.writes().collect(),
        }
    }
}

/// Instructions from a fetch to the use of what it gives, as far as the order is concerned.
const FETCH_LATENCY: u32 = 4;

/// What has to come before an operation.
struct Order {
    /// Operations whose instruction comes before.
    before: Vec<Vec<usize>>,
    /// Operations whose instruction comes before or is the same.
    not_after: Vec<Vec<usize>>,
    /// The longest way to the end of the block.
    height: Vec<u32>,
}

fn order(ops: &[Op], webs: usize) -> Order {
    let mut last: Vec<Option<usize>> = vec![None; webs];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); webs];
    let (mut before, mut not_after) = (vec![Vec::new(); ops.len()], vec![Vec::new(); ops.len()]);
    // Lanes that are killed calculate nothing more for the others of their quad.
    let mut seen_by_quads: Vec<usize> = Vec::new();
    for (k, op) in ops.iter().enumerate() {
        match op.code {
            Code::Kill => before[k].extend(&seen_by_quads),
            Code::Ddx | Code::Ddy | Code::Fetch(_) => seen_by_quads.push(k),
            _ => {}
        }
        for web in op.reads() {
            before[k].extend(last[web]);
            readers[web].push(k);
        }
        for web in op.writes() {
            before[k].extend(last[web]);
            not_after[k].extend(readers[web].drain(..).filter(|&reader| reader != k));
            last[web] = Some(k);
        }
    }
    let mut height = vec![0; ops.len()];
    for k in (0..ops.len()).rev() {
        let latency = if matches!(ops[k].code, Code::Fetch(_)) { FETCH_LATENCY } else { 1 };
        height[k] += latency;
        for &earlier in &before[k] {
            height[earlier] = height[earlier].max(height[k]);
        }
        for &earlier in &not_after[k] {
            height[earlier] = height[earlier].max(height[k] - latency);
        }
    }
    Order { before, not_after, height }
}

/// An instruction that is being put together.
#[derive(Clone, Default)]
struct Draft {
    lanes: Lanes,
    dest: [Option<Vector>; 4],
    members: Vec<usize>,
    /// Where webs will lie that lay nowhere; a vector number after all others is a new one.
    put: Vec<(Web, Place)>,
    bundle: Option<Bundle>,
}

struct Scheduler<'a> {
    ops: &'a [Op],
    places: &'a mut Places,
    literals: &'a mut Literals,
}

/// No instruction does what an operation wants: there is no constant left for a literal, or what came before made a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stuck {
    pub line: u32,
}

/// The instructions of a block.
pub(super) fn schedule(
    ops: &[Op],
    places: &mut Places,
    literals: &mut Literals,
    webs: usize,
) -> Result<Vec<Issue>, Stuck> {
    let order = order(ops, webs);
    let mut priority: Vec<usize> = (0..ops.len()).collect();
    priority.sort_by_key(|&k| (std::cmp::Reverse(order.height[k]), k));
    let mut scheduler = Scheduler { ops, places, literals };
    let mut done = vec![false; ops.len()];
    let mut issues = Vec::new();
    while issues.len() <= ops.len() {
        let waits =
            |list: &[usize], done: &[bool], members: &[usize]| list.iter().any(|&k| !done[k] && !members.contains(&k));
        let ready = |k: usize, done: &[bool], members: &[usize]| {
            !done[k]
                && !members.contains(&k)
                && !waits(&order.before[k], done, &[])
                && !waits(&order.not_after[k], done, members)
        };
        let texture = priority.iter().copied().find(|&k| ops[k].code.is_texture() && ready(k, &done, &[]));
        if let Some(k) = texture {
            done[k] = true;
            issues.push(Issue::Texture(ops[k].clone()));
            continue;
        }
        let mut draft = Draft::default();
        loop {
            let next = priority
                .iter()
                .copied()
                .filter(|&k| !ops[k].code.is_texture() && ready(k, &done, &draft.members))
                .find_map(|k| scheduler.join(&draft, k));
            match next {
                Some(larger) => draft = larger,
                None => break,
            }
        }
        let Some(bundle) = draft.bundle.take() else { break };
        draft.members.iter().for_each(|&k| done[k] = true);
        issues.push(scheduler.commit(draft, bundle));
    }
    match done.iter().position(|&done| !done) {
        None => Ok(issues),
        Some(left) => Err(Stuck { line: ops[left].line }),
    }
}

impl Scheduler<'_> {
    /// The draft with one more operation, if the machine has such an instruction.
    fn join(&self, draft: &Draft, k: usize) -> Option<Draft> {
        let op = &self.ops[k];
        self.choices(draft, k).into_iter().find_map(|(channels, put)| {
            let mut larger = draft.clone();
            for &channel in &channels {
                if larger.lanes[channel].is_some() {
                    return None;
                }
                larger.lanes[channel] = Some(k);
            }
            if let Some(web) = op.result() {
                let place = put.or_else(|| self.places.get(web))?;
                larger.dest[place.channel] = Some(place.vector);
                if put.is_some() {
                    larger.put.push((web, place));
                }
            }
            let mut literals = self.literals.clone();
            let bundle = compose(self.ops, &larger.lanes, &larger.dest, self.places, &mut literals)?;
            larger.members.push(k);
            larger.bundle = Some(bundle);
            Some(larger)
        })
    }

    /// Channels in which an operation can stand, best first, with the place of its result if that is to be decided.
    fn choices(&self, draft: &Draft, k: usize) -> Vec<(Vec<usize>, Option<Place>)> {
        let op = &self.ops[k];
        let mut given = colour_channels(op);
        if op.targets.contains(&Target::Depth) {
            given.push(ALPHA);
        }
        let placed = op.result().map(|web| self.places.get(web));
        if let Some(Some(place)) = placed {
            given.push(place.channel);
        }
        given.sort_unstable();
        given.dedup();
        // What is tested is the red channel or alpha.
        let with_test = |mut channels: Vec<usize>| {
            if let Some(channel) = op.predicate {
                if !channels.contains(&channel) {
                    channels.push(channel);
                }
            } else if op.test.is_some() && !channels.contains(&0) && !channels.contains(&ALPHA) {
                channels.push(0);
            }
            channels
        };
        let by_unit = if op.code.is_dot() { [0, 1, 2, ALPHA] } else { [ALPHA, 0, 1, 2] };
        match placed {
            // The result goes to a channel that is free.
            Some(None) => {
                let first: Vec<usize> = given.iter().copied().chain(by_unit).collect();
                first
                    .into_iter()
                    .filter_map(|channel| {
                        let vector = self.new_place(draft, channel)?;
                        let mut channels = given.clone();
                        if !channels.contains(&channel) {
                            channels.push(channel);
                        }
                        Some((with_test(channels), Some(Place { vector, channel })))
                    })
                    .collect()
            }
            _ if given.is_empty() && op.predicate.is_some() => vec![(with_test(Vec::new()), None)],
            _ if given.is_empty() => by_unit.iter().map(|&channel| (with_test(vec![channel]), None)).collect(),
            _ => vec![(with_test(given), None)],
        }
    }

    /// The vector for a new result in a channel: that of the colours that the draft writes already, or a new one.
    fn new_place(&self, draft: &Draft, channel: usize) -> Option<Vector> {
        let new = self.places.len();
        if channel == ALPHA {
            // A colour vector and an alpha vector of one instruction need not be the same.
            return Some(new + 1);
        }
        match draft.dest[..ALPHA].iter().flatten().next() {
            None => Some(new),
            Some(&vector) if vector >= new => Some(vector),
            Some(&vector) => self.places.channels(vector)[channel].is_none().then_some(vector),
        }
    }

    /// Decides what the draft left open, and makes the instruction.
    fn commit(&mut self, draft: Draft, bundle: Bundle) -> Issue {
        let new = self.places.len();
        let mut vectors: Vec<(Vector, Vector)> = Vec::new();
        for &(web, place) in &draft.put {
            let known = vectors.iter().find(|(from, _)| *from == place.vector).map(|(_, to)| *to);
            let vector = if place.vector < new {
                place.vector
            } else {
                known.unwrap_or_else(|| {
                    let vector = self.places.add_vector();
                    vectors.push((place.vector, vector));
                    vector
                })
            };
            self.places.put(web, Place { vector, channel: place.channel });
        }
        let dest: [Option<Vector>; 4] = draft.dest.map(|vector| {
            let vector = vector?;
            Some(vectors.iter().find(|(from, _)| *from == vector).map_or(vector, |(_, to)| *to))
        });
        // Once more, with the literals and vectors that stay.
        let bundle = compose(self.ops, &draft.lanes, &dest, self.places, self.literals).unwrap_or(bundle);
        let reads = draft.members.iter().flat_map(|&k| self.ops[k].reads()).collect();
        let writes = draft.members.iter().flat_map(|&k| self.ops[k].writes()).collect();
        Issue::Alu(Box::new(bundle), reads, writes)
    }
}
