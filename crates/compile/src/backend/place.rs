//! Which scalars share a register, and in which channels: what a vector operand, a fetch or a dot product reads has to lie together.

use super::machine::{Code, Item, Op, Operand, Scalars, Source, Target, Web};
use std::collections::HashSet;

/// The alpha channel.
pub(super) const ALPHA: usize = 3;

/// A register to be, by number.
pub(super) type Vector = usize;

/// Where a web lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub vector: Vector,
    pub channel: usize,
}

/// Webs by vectors and channels.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    of: Vec<Option<Place>>,
    /// Per vector and channel, the web in it. Vectors that were taken into others are empty.
    vectors: Vec<[Option<Web>; 4]>,
    /// Vectors whose register is given.
    fixed: Vec<Option<u8>>,
}

impl Places {
    fn new(webs: usize) -> Self {
        Places { of: vec![None; webs], vectors: Vec::new(), fixed: Vec::new() }
    }

    /// Where a web lies, if that is decided.
    pub fn get(&self, web: Web) -> Option<Place> {
        self.of[web]
    }

    /// The webs of a vector.
    pub fn channels(&self, vector: Vector) -> &[Option<Web>; 4] {
        &self.vectors[vector]
    }

    /// How many webs there are.
    pub fn webs(&self) -> usize {
        self.of.len()
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// The register of a vector that has a given one.
    pub fn fixed(&self, vector: Vector) -> Option<u8> {
        self.fixed[vector]
    }

    /// An empty vector.
    pub fn add_vector(&mut self) -> Vector {
        self.vectors.push([None; 4]);
        self.fixed.push(None);
        self.vectors.len() - 1
    }

    /// Decides where a web lies.
    pub fn put(&mut self, web: Web, place: Place) {
        debug_assert!(self.of[web].is_none() && self.vectors[place.vector][place.channel].is_none());
        self.of[web] = Some(place);
        self.vectors[place.vector][place.channel] = Some(web);
    }

    /// A new web, which lies nowhere.
    pub fn add_web(&mut self) -> Web {
        self.of.push(None);
        self.of.len() - 1
    }

    /// Brings webs into one register: all of them in its four channels, or, without `whole`, at most one of them in the alpha
    /// channel of another one, as operands may have it. False, and nothing changes, if they are bound otherwise.
    pub fn together(&mut self, webs: &[Web], whole: bool) -> bool {
        let mut distinct: Vec<Web> = webs.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let at_alpha = |web: Web| self.of[web].is_some_and(|place| place.channel == ALPHA);
        let mut alphas: Vec<Web> = distinct.iter().copied().filter(|&web| at_alpha(web)).collect();
        let mut colours: Vec<Web> = distinct.iter().copied().filter(|&web| !at_alpha(web)).collect();
        // Keep the order in which they are named.
        let order = |web: &Web| webs.iter().position(|other| other == web);
        colours.sort_by_key(order);
        if alphas.len() > 1 {
            return false;
        }
        if colours.len() > 3 {
            if !alphas.is_empty() || colours.len() > 4 {
                return false;
            }
            // The last one that is free goes to the alpha channel.
            let Some(k) = colours.iter().rposition(|&web| self.of[web].is_none()) else { return false };
            alphas.push(colours.remove(k));
        }
        // The vectors that they lie in become one.
        let mut vectors: Vec<Vector> =
            colours.iter().filter_map(|&web| self.of[web]).map(|place| place.vector).collect();
        if whole {
            vectors.extend(alphas.iter().filter_map(|&web| self.of[web]).map(|place| place.vector));
        }
        vectors.sort_unstable();
        vectors.dedup();
        if vectors.iter().filter(|&&vector| self.fixed[vector].is_some()).count() > 1 {
            return false;
        }
        vectors.sort_by_key(|&vector| self.fixed[vector].is_none());
        let free_webs = colours.iter().filter(|&&web| self.of[web].is_none()).count();
        let used = |vector: Vector| self.vectors[vector][..ALPHA].iter().flatten().count();
        let free_channels = 3usize.checked_sub(vectors.iter().map(|&vector| used(vector)).sum());
        let Some(free_channels) = free_channels else { return false };
        if free_channels < free_webs {
            // Where all four channels are read alike, the alpha channel takes one, too.
            let free = colours.iter().rposition(|&web| self.of[web].is_none());
            let one_too_many = whole && alphas.is_empty() && free_webs == free_channels + 1;
            let Some(k) = free.filter(|_| one_too_many) else { return false };
            alphas.push(colours.remove(k));
        }
        let new_alpha = alphas.iter().any(|&web| self.of[web].is_none());
        let alphas_taken = vectors.iter().filter(|&&vector| self.vectors[vector][ALPHA].is_some()).count();
        if alphas_taken + usize::from(whole && new_alpha) > 1 {
            // Without `whole` the vectors that have alpha channels stay as they are.
            if whole || vectors.len() > 1 {
                return false;
            }
        }
        let Some(&target) = vectors.first() else {
            let vector = self.add_vector();
            self.fill(vector, &colours, &alphas);
            return true;
        };
        for &other in &vectors[1..] {
            for channel in 0..4 {
                if let Some(web) = self.vectors[other][channel].take() {
                    self.of[web] = None;
                    let channel = if channel == ALPHA { ALPHA } else { self.free_channel(target, channel) };
                    self.put(web, Place { vector: target, channel });
                }
            }
        }
        self.fill(target, &colours, &alphas);
        true
    }

    /// A free colour channel of a vector, this one if it is.
    fn free_channel(&self, vector: Vector, wanted: usize) -> usize {
        let channels = &self.vectors[vector];
        if channels[wanted].is_none() {
            return wanted;
        }
        (0..ALPHA).find(|&channel| channels[channel].is_none()).expect("a vector has space for what was counted")
    }

    fn fill(&mut self, vector: Vector, colours: &[Web], alphas: &[Web]) {
        for (k, &web) in colours.iter().enumerate() {
            if self.of[web].is_none() {
                let channel = self.free_channel(vector, k.min(2));
                self.put(web, Place { vector, channel });
            }
        }
        for &web in alphas {
            if self.of[web].is_none() {
                let vector = if self.vectors[vector][ALPHA].is_none() { vector } else { self.add_vector() };
                self.put(web, Place { vector, channel: ALPHA });
            }
        }
    }

    /// Binds a web to a channel, in a vector of its own if it has none.
    pub fn pin(&mut self, web: Web, channel: usize) {
        if self.of[web].is_none() {
            let vector = self.add_vector();
            self.put(web, Place { vector, channel });
        }
    }
}

/// Webs that want to be read as one operand, and those of the operations that give them, and so on.
struct Planner<'a> {
    places: &'a mut Places,
    /// Per web: its operation, if one alone gives it.
    by: Vec<Option<(usize, &'a Op)>>,
    seen: HashSet<Vec<Web>>,
}

const MAX_DEPTH: usize = 24;

impl Planner<'_> {
    /// Operands that are read together: their webs should lie together.
    fn operands(&mut self, operands: &[Operand], whole: bool, depth: usize) -> bool {
        let webs: Vec<Web> = operands.iter().filter_map(|operand| operand.as_web()).collect();
        let mut distinct = webs.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < 2 || depth > MAX_DEPTH {
            return true;
        }
        if !self.seen.insert(webs.clone()) {
            return true;
        }
        let done = self.places.together(&webs, whole);
        if done {
            self.sources(&webs, depth + 1);
        }
        done
    }

    /// Whether webs are given by operations of one block that differ in their numbers and channels only.
    fn one_instruction(&self, webs: &[Web]) -> bool {
        let ops: Option<Vec<(usize, &Op)>> = webs.iter().map(|&web| self.by[web]).collect();
        let Some(ops) = ops else { return false };
        let register = |operand: &Operand| match operand.source {
            Source::Web(web) => (0, self.places.get(web).map_or(web, |place| place.vector), operand.neg),
            Source::Uniform { .. } | Source::Relative { .. } => {
                (1, operand.source.constant().map_or(0, |(register, _)| register), operand.neg)
            }
            Source::Number(_) | Source::Presubtract(..) => (2, 0, false),
        };
        let (block, first) = ops[0];
        let scalar = !(first.code.is_dot()
            || first.code.is_texture()
            || first.code.is_transcendental()
            || first.code.is_derivative());
        scalar
            && ops.iter().all(|(of, op)| {
                *of == block
                    && op.code == first.code
                    && (op.clamp, op.scale) == (first.clamp, first.scale)
                    && op.args.iter().map(register).eq(first.args.iter().map(register))
            })
    }

    /// What calculates webs that lie together: if it is the same operation, its operands should lie together, too.
    fn sources(&mut self, webs: &[Web], depth: usize) {
        let mut distinct: Vec<Web> = Vec::new();
        webs.iter().for_each(|web| {
            if !distinct.contains(web) {
                distinct.push(*web)
            }
        });
        let ops: Option<Vec<(usize, &Op)>> = distinct.iter().map(|&web| self.by[web]).collect();
        let Some(ops) = ops else { return };
        let (block, first) = ops[0];
        let alike = |&(other_block, op): &(usize, &Op)| {
            other_block == block
                && op.code == first.code
                && op.clamp == first.clamp
                && op.scale == first.scale
                && op.args.len() == first.args.len()
        };
        if !ops.iter().all(alike) || first.code.is_dot() || first.code.is_texture() || first.code.is_transcendental() {
            return;
        }
        let lanes: Vec<Vec<Operand>> =
            (0..first.args.len()).map(|k| ops.iter().map(|(_, op)| op.args[k]).collect()).collect();
        for lane in lanes {
            self.operands(&lane, false, depth);
        }
    }
}

fn blocks<'a>(items: &'a [Item<Op>], all: &mut Vec<&'a Vec<Op>>) {
    for item in items {
        match item {
            Item::Block(ops) => all.push(ops),
            Item::If { then, otherwise, .. } => {
                blocks(then, all);
                blocks(otherwise, all);
            }
            Item::Loop { body, .. } => blocks(body, all),
            Item::Break | Item::Continue => {}
        }
    }
}

/// Decides on places for webs that are read together, as far as they do not contradict each other. Webs that are not read together are left open.
pub(super) fn place(scalars: &Scalars) -> Places {
    let mut places = Places::new(scalars.webs);
    let mut registers: Vec<(u8, Vector)> = Vec::new();
    for &(web, register, channel) in &scalars.inputs {
        let found = registers.iter().find(|(known, _)| *known == register).map(|(_, vector)| *vector);
        let vector = found.unwrap_or_else(|| {
            let vector = places.add_vector();
            places.fixed[vector] = Some(register);
            registers.push((register, vector));
            vector
        });
        places.put(web, Place { vector, channel });
    }
    plan(scalars, &mut places);
    places
}

fn plan(scalars: &Scalars, places: &mut Places) {
    let mut all = Vec::new();
    blocks(&scalars.items, &mut all);
    let mut by: Vec<Option<(usize, &Op)>> = vec![None; scalars.webs];
    let mut many = vec![false; scalars.webs];
    for (k, ops) in all.iter().enumerate() {
        for op in ops.iter() {
            for web in op.writes() {
                many[web] |= by[web].is_some();
                by[web] = Some((k, op));
            }
        }
    }
    for (web, by) in by.iter_mut().enumerate() {
        if many[web] {
            *by = None;
        }
    }
    let ops = || all.iter().flat_map(|ops| ops.iter());
    // What has to be: fetched texels, coordinates, operands of dot products.
    let mut planner = Planner { places, by, seen: HashSet::new() };
    for op in ops().filter(|op| matches!(op.code, Code::Fetch(_))) {
        let results: Vec<Web> = op.writes().collect();
        if results.len() > 1 {
            planner.places.together(&results, true);
        }
    }
    let textures: Vec<&Op> = ops().filter(|op| op.code.is_texture()).collect();
    pair_coordinates(&mut planner, &textures, &all);
    for op in textures {
        planner.operands(&op.args, true, 0);
    }
    for op in ops().filter(|op| op.code.is_dot()) {
        let (first, second) = dot_vectors(op);
        for vector in [first, second] {
            // The fourth channel is read by the alpha unit, from wherever it lies.
            if !planner.operands(&vector, false, 0) {
                planner.operands(&vector[..vector.len().min(3)], false, 0);
            }
        }
    }
    // What is better: outputs, whose channels are given.
    let outputs: Vec<(&Op, usize)> = ops().filter_map(|op| Some((op, *colour_channels(op).first()?))).collect();
    for &(op, channel) in &outputs {
        if let Some(web) = op.result() {
            planner.places.pin(web, channel);
        }
    }
    for slot in 0..4 {
        let of_slot: Vec<&Op> = outputs
            .iter()
            .map(|(op, _)| *op)
            .filter(|op| {
                op.targets.iter().any(|target| matches!(target, Target::Colour { slot: of, .. } if *of == slot))
            })
            .collect();
        for alike in groups(&of_slot) {
            for k in 0..alike[0].args.len() {
                let lane: Vec<Operand> = alike.iter().map(|op| op.args[k]).collect();
                planner.operands(&lane, false, 0);
            }
        }
    }
    // Derivatives stay in their channel; fetches of one channel are anywhere.
    // What depends on vectors in the same way becomes a vector, too.
    for ops in &all {
        for alike in groups(&ops.iter().filter(|op| op.targets.is_empty()).collect::<Vec<_>>()) {
            follow(&mut planner, &alike);
        }
    }
}

/// Two pairs of coordinates share a register, where the operations that give them can be one instruction and only fetches read them.
fn pair_coordinates(planner: &mut Planner<'_>, textures: &[&Op], blocks: &[&Vec<Op>]) {
    let others = blocks.iter().flat_map(|ops| ops.iter()).filter(|op| !op.code.is_texture());
    let read_otherwise: HashSet<Web> = others.flat_map(|op| op.reads()).collect();
    let pair = |planner: &Planner<'_>, op: &Op| {
        let &[x, y] = op.args.as_slice() else { return None };
        let free = |operand: Operand| {
            let web = operand.as_web()?;
            let open = operand.is_plain() && planner.places.get(web).is_none() && !read_otherwise.contains(&web);
            Some(web).filter(|_| open && planner.by[web].is_some())
        };
        Some([free(x)?, free(y)?]).filter(|[x, y]| x != y)
    };
    let mut open: Option<[Web; 2]> = None;
    for op in textures {
        let Some(second) = pair(planner, op) else { continue };
        let Some(first) = open.take() else {
            open = Some(second);
            continue;
        };
        let four = [first[0], first[1], second[0], second[1]];
        let apart = !first.contains(&second[0]) && !first.contains(&second[1]);
        if apart && planner.one_instruction(&four) {
            planner.operands(&four.map(Operand::web), true, 0);
        } else {
            open = Some(second);
        }
    }
}

/// Operations of the same kind, up to four at a time that follow each other.
fn groups<'a>(ops: &[&'a Op]) -> Vec<Vec<&'a Op>> {
    let mut groups: Vec<Vec<&Op>> = Vec::new();
    for &op in ops {
        if op.code.is_dot() || op.code.is_texture() || op.code.is_transcendental() || op.code.is_derivative() {
            continue;
        }
        let alike = |group: &Vec<&Op>| {
            let first = group[0];
            first.code == op.code && first.clamp == op.clamp && first.scale == op.scale && group.len() < 4
        };
        match groups.last_mut() {
            Some(group) if alike(group) => group.push(op),
            _ => groups.push(vec![op]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Results of alike operations lie together if one of their operands does already.
fn follow(planner: &mut Planner<'_>, alike: &[&Op]) {
    let results: Option<Vec<Web>> = alike.iter().map(|op| op.result()).collect();
    let Some(results) = results else { return };
    // No result is an operand of another one of them.
    if alike.iter().any(|op| op.reads().any(|web| results.contains(&web))) {
        return;
    }
    let vector = |operand: &Operand| match operand.source {
        Source::Web(web) => planner.places.get(web).map(|place| (false, place.vector)),
        Source::Uniform { .. } | Source::Relative { .. } => {
            operand.source.constant().map(|(register, _)| (true, register))
        }
        Source::Number(_) | Source::Presubtract(..) => None,
    };
    let some_together = (0..alike[0].args.len()).any(|k| {
        let vectors: HashSet<Option<(bool, Vector)>> = alike.iter().map(|op| vector(&op.args[k])).collect();
        let distinct: HashSet<Operand> = alike.iter().map(|op| op.args[k]).collect();
        vectors.len() == 1 && !vectors.contains(&None) && distinct.len() > 1
    });
    if some_together && planner.places.together(&results, false) {
        planner.sources(&results, 1);
    }
}

/// The two vectors of a dot product.
pub(super) fn dot_vectors(op: &Op) -> (Vec<Operand>, Vec<Operand>) {
    let length = match op.code {
        Code::Dot2Add => 2,
        Code::Dot3 => 3,
        _ => 4,
    };
    (op.args[..length].to_vec(), op.args[length..2 * length].to_vec())
}

/// The channels of output registers that an operation writes.
pub(super) fn colour_channels(op: &Op) -> Vec<usize> {
    let channel = |target: &Target| match target {
        Target::Colour { channel, .. } => Some(*channel),
        Target::Depth => None,
    };
    op.targets.iter().filter_map(channel).collect()
}
