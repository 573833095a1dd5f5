//! Stores whose words come from the words of loaded elements, each by the same operations.
//!
//! A register holds one word of an element for all lanes; in memory the words of an element lie side by side. So what moves
//! a row of elements transposes it. Where each word that is stored is made of words that were loaded, by the same operations
//! as the others, that is for nothing: the operations can run on vectors as they lie in memory, of which there are as
//! many as an element has words. Constants that are not the same for all words become vectors in which they repeat, and
//! loaded words that go elsewhere are permuted inside of their elements.
//!
//! # Why nothing changes
//!
//! What an operation on lanes gives in one of them depends on its operands there, and not on the lane; so each word comes
//! out as it would in the register of its channel. Everything else stays where it is: loads and stores, and their order;
//! steps; and masks, as the accesses concern all lanes.
//!
//! Beyond the operands' bits, selection looks at properties: whether they may be NaNs or denormals, who flushes them, which
//! operations made them, and what is done with their NaNs. These have to be the same for all words, so that the first one
//! stands for the others, its chains of rules about NaNs (see `nans`) included. Words that are not calculated do not count:
//! their lanes calculate something that is thrown away, and which can at worst raise the invalid flag for nothing. A store
//! looks for NaNs (see `speculation`) in the vectors that it stores, which hold the same words; operations in front of which code
//! would have to look are left alone.
//!
//! The operations may be spread over blocks: where a parameter of a block is a word, as the sums of a loop are, the block
//! gets a parameter for each vector.
//!
//! The transposed words are calculated all the same, and go with the dead code if nobody else wants them.

use super::*;
use crate::target::Target;
use ctm_lane::{Block, Def, Effect, Type};
use std::collections::{HashMap, HashSet};

/// The values that a quantity has in the calculated words. The first one stands for all of them.
type Quantity = Vec<Value>;

/// Where a quantity comes from that is not calculated.
enum Leaf {
    /// From the elements of the load with this first result, the words with these numbers.
    Loaded(Value, Vec<usize>),
    /// For each word, the same in all lanes.
    Uniform(Quantity),
}

/// How to calculate what a store wants.
pub struct Plan {
    /// Words of an element.
    words: usize,
    /// Those that are calculated. The others are the same in all lanes.
    calculated: Vec<usize>,
    /// What the operations start from, by the value that stands for it.
    leaves: HashMap<Value, Leaf>,
    /// The operations, in the order in which they are found: of each the last of its instructions, and the one that stands
    /// for the others.
    body: Vec<(ctm_lane::Inst, ctm_lane::Inst)>,
    /// Parameters: the block, the number of the one that stands for the others, and that one.
    params: Vec<(Block, usize, Value)>,
    /// For each vector of a row all values, as far as they have been calculated.
    vectors: Vec<Vec<Val>>,
}

/// What a plan does at some place of the function.
#[derive(Clone, Copy)]
enum Step {
    /// Takes a quantity that is not calculated.
    Leaf(Value),
    /// Calculates what this operation stands for.
    Calculate(ctm_lane::Inst),
    /// Takes a parameter from the ways into its block.
    Param(Value),
}

/// A place in a function: after so many instructions of the block at this position.
type Place = (usize, usize);

/// What is known of such stores in a function.
#[derive(Default)]
pub struct InterleavedStores {
    plans: Vec<Plan>,
    /// Which one to follow, by the store and all its operands.
    of_stores: HashMap<(Op, Vec<Value>), usize>,
    /// The store of each plan.
    stores: Vec<ctm_lane::Inst>,
    /// What to do at each place, for which plan.
    steps: HashMap<Place, Vec<(usize, Step)>>,
    /// By their first results, the loads whose elements are wanted, and these once they are loaded.
    rows: HashMap<Value, Vec<Val>>,
    /// The ones of these whose elements are still the same when the store wants them.
    kept: HashSet<Value>,
    /// Stores whose plans could not be followed, as what they start from is not in rows. Selection begins anew without them.
    pub abandoned: HashSet<ctm_lane::Inst>,
}

impl InterleavedStores {
    /// Nothing is known, but that these stores are to be transposed.
    pub fn without(abandoned: HashSet<ctm_lane::Inst>) -> Self {
        Self { abandoned, ..Self::default() }
    }
}

/// A plan in the making.
struct Search<'a, 'b> {
    selector: &'a Selector<'b>,
    places: &'a [Place],
    plan: Plan,
    /// All quantities, by the value that stands for each.
    known: HashMap<Value, Quantity>,
    /// Those that are calculated, by any of their values.
    calculated: HashSet<Value>,
    /// The ones of these whose operations have not been looked at yet.
    open: Vec<Value>,
    /// How often the search came by each value.
    uses: HashMap<Value, u32>,
}

/// Words of elements that are stored as they are.
fn words_of(format: Format) -> Option<usize> {
    matches!(format, Format::Float32_4 | Format::Float32_2).then(|| format.channels())
}

/// Whether a lane of the result depends on nothing but the same lane of the operands.
fn is_lane_by_lane(op: &Op) -> bool {
    let info = op.info();
    let crosses = matches!(op, Op::Quad { .. } | Op::Ballot { .. } | Op::Shuffle { .. });
    info.effect == Effect::Pure
        && !crosses
        && info.results.len() == 1
        && !info.operands.is_empty()
        && info.operands.iter().all(|&(_, ty)| ty != Type::Uniform)
}

/// Instructions for an operation, about.
fn weight(op: &Op) -> usize {
    if matches!(op, Op::Ex2 {} | Op::Ln2 {} | Op::Sin {} | Op::Cos {} | Op::Udiv {}) {
        16
    } else if matches!(op, Op::Fdiv { .. } | Op::Fsqrt { .. }) {
        4
    } else {
        1
    }
}

impl Search<'_, '_> {
    /// Takes up a quantity; `None` if it cannot be had.
    fn want(&mut self, quantity: Quantity) -> Option<()> {
        let first = quantity[0];
        quantity.iter().for_each(|&value| *self.uses.entry(value).or_default() += 1);
        if let Some(known) = self.known.get(&first) {
            return (*known == quantity).then_some(());
        }
        let properties = |value: Value| {
            let range = self.selector.ranges.get(value);
            let is_tainted = self.selector.has_tainted(&[value]);
            (range.nan, range.denormal, self.selector.is_flushed_by_all(value), is_tainted)
        };
        if quantity.iter().any(|&value| properties(value) != properties(first)) {
            return None;
        }
        self.known.insert(first, quantity.clone());
        if self.is_uniform(&quantity) {
            self.plan.leaves.insert(first, Leaf::Uniform(quantity));
        } else if let Some(leaf) = self.loaded(&quantity) {
            self.plan.leaves.insert(first, leaf);
        } else {
            // A value of two quantities would be calculated twice.
            let is_new = quantity.iter().all(|&value| self.calculated.insert(value));
            self.open.push(first);
            return is_new.then_some(());
        }
        Some(())
    }

    fn is_uniform(&self, quantity: &[Value]) -> bool {
        let Selector { function, .. } = self.selector;
        let is_same = quantity.iter().all(|value| *value == quantity[0]);
        // Selection looks through changes of sign.
        let may_differ = |&value: &Value| {
            let is_sign = matches!(function.defining_op(value), Some((Op::Neg {}, _)));
            !is_sign && function.value_type(value) == Type::Lane
        };
        quantity.iter().all(|&value| self.selector.is_uniform(value)) && (is_same || quantity.iter().all(may_differ))
    }

    fn loaded(&self, quantity: &[Value]) -> Option<Leaf> {
        let Selector { function, layouts, shapes, .. } = self.selector;
        let Def::Result(load, _) = function.def(quantity[0]) else { return None };
        let Op::SurfaceLoad { surface } = *function.op(load) else { return None };
        let args = function.args(load);
        let format = layouts[surface.index()].surface.format;
        let is_row = matches!(shapes.get(args[0]), LaneShape::Index { axis: Axis::X, .. })
            || format == Format::Float32_4 && self.selector.likely(surface, args[0], args[1]) == Some(true);
        let is_whole = function.mask_constant(args[2]) == Some(true);
        if !is_row || !is_whole || words_of(format) != Some(self.plan.words) {
            return None;
        }
        let mut order: Vec<usize> = (0..self.plan.words).collect();
        for (&word, &value) in self.plan.calculated.iter().zip(quantity) {
            order[word] = function.results(load).position(|result| result == value)?;
        }
        let is_stored = order.iter().all(|&word| word < self.plan.words);
        let first = function.results(load).next()?;
        is_stored.then_some(Leaf::Loaded(first, order))
    }

    /// Takes up what a quantity is made of.
    fn visit(&mut self, first: Value) -> Option<()> {
        let function = self.selector.function;
        let quantity = self.known[&first].clone();
        match function.def(first) {
            Def::Param(block, number) => self.visit_param(block, number as usize, &quantity),
            Def::Result(..) => self.visit_operation(&quantity),
        }
    }

    fn visit_param(&mut self, block: Block, number: usize, quantity: &[Value]) -> Option<()> {
        let Selector { function, graph, .. } = self.selector;
        let number_of = |value: &Value| match function.def(*value) {
            Def::Param(other, number) => (other == block).then_some(number as usize),
            Def::Result(..) => None,
        };
        let numbers: Vec<usize> = quantity.iter().map(number_of).collect::<Option<_>>()?;
        self.plan.params.push((block, number, quantity[0]));
        // A block that goes to another by both ways is there twice.
        let mut from = graph.predecessors(block).to_vec();
        from.dedup();
        for target in from.into_iter().flat_map(|from| function.terminator(from).targets()) {
            if target.block == block {
                self.want(numbers.iter().map(|&number| target.args[number]).collect())?;
            }
        }
        Some(())
    }

    fn visit_operation(&mut self, quantity: &[Value]) -> Option<()> {
        let function = self.selector.function;
        let mut others: Vec<ctm_lane::Inst> = Vec::new();
        for &value in quantity {
            let Def::Result(other, _) = function.def(value) else { return None };
            let op = function.op(other);
            let is_same = others.first().is_none_or(|&first| function.op(first) == op);
            let needs_nan_check = self.selector.needs_nan_check(op, function.args(other));
            if !is_same || !is_lane_by_lane(op) || others.contains(&other) || needs_nan_check {
                return None;
            }
            others.push(other);
        }
        let place = |inst: ctm_lane::Inst| self.places[inst.index()];
        let last = others.iter().copied().max_by_key(|&inst| place(inst))?;
        if others.iter().any(|&other| place(other).0 != place(last).0) {
            return None;
        }
        self.plan.body.push((last, others[0]));
        let op = function.op(last);
        let args: Vec<Vec<Value>> = others.iter().map(|&other| self.ordered_args(op, others[0], other)).collect();
        (0..args[0].len()).try_for_each(|at| self.want(args.iter().map(|args| args[at]).collect()))
    }

    /// The operands of an instruction, those of a sum or a product in the order in which the first instruction has its.
    fn ordered_args(&self, op: &Op, first: ctm_lane::Inst, inst: ctm_lane::Inst) -> Vec<Value> {
        let Selector { function, .. } = self.selector;
        let (first, mut args) = (function.args(first), function.args(inst).to_vec());
        let commutes = matches!(op, Op::Fadd { .. } | Op::Fmul { .. } | Op::Fma { .. });
        if commutes && !self.is_alike(first[0], args[0]) && self.is_alike(first[0], args[1]) {
            args.swap(0, 1);
        }
        args
    }

    /// Whether two values come from the same load, or are made by the same operation, or are the same in all lanes.
    fn is_alike(&self, a: Value, b: Value) -> bool {
        let Selector { function, .. } = self.selector;
        match (function.def(a), function.def(b)) {
            _ if self.selector.is_uniform(a) || self.selector.is_uniform(b) => {
                self.selector.is_uniform(a) && self.selector.is_uniform(b)
            }
            (Def::Result(a, _), Def::Result(b, _)) if function.op(a).info().results.len() > 1 => a == b,
            (Def::Result(a, _), Def::Result(b, _)) => function.op(a) == function.op(b),
            (Def::Param(..), _) | (_, Def::Param(..)) => a == b,
        }
    }

    /// The plan, if nobody else wants what it calculates, and it does not calculate more than it saves.
    fn finish(self, store: ctm_lane::Inst, depths: &[u32]) -> Option<Plan> {
        let Selector { function, uses, graph, .. } = self.selector;
        let is_own = |value: &Value| self.uses.get(value) == uses.get(value.index());
        let is_alone = self.calculated.iter().all(is_own);
        let frequency = |inst: ctm_lane::Inst| {
            let block = graph.order[self.places[inst.index()].0];
            1usize << (3 * depths[block.index()].min(6))
        };
        let weights = self.plan.body.iter().map(|&(inst, _)| weight(function.op(inst)) * frequency(inst));
        let more = weights.sum::<usize>() * (self.plan.words - self.plan.calculated.len());
        (is_alone && more <= 2 * self.plan.words * frequency(store)).then_some(self.plan)
    }
}

/// The place after each instruction of a function.
fn places(function: &ctm_lane::Function, graph: &ctm_lane::Graph) -> Vec<Place> {
    let mut places = vec![(0, 0); function.inst_count()];
    for (position, &block) in graph.order.iter().enumerate() {
        for (at, inst) in function.insts(block).iter().enumerate() {
            places[inst.index()] = (position, at + 1);
        }
    }
    places
}

impl Selector<'_> {
    /// Finds the stores that need no transposition; `depths` are the numbers of loops that blocks are in.
    pub fn plan_untransposed(&mut self, depths: &[u32]) {
        if !self.mode.interior || self.mode.quads {
            return;
        }
        let function = self.function;
        let places = places(function, &self.graph);
        let insts = self.graph.order.iter().flat_map(|&block| function.insts(block));
        for inst in insts.copied().filter(|inst| !self.interleaved_stores.abandoned.contains(inst)).collect::<Vec<_>>()
        {
            let op = *function.op(inst);
            if let Op::SurfaceStore { surface, channels } = op
                && let Some(plan) = self.plan_of(inst, (surface, channels), &places, depths)
            {
                self.enter_plan(inst, plan, &places);
            }
        }
    }

    fn plan_of(
        &self,
        store: ctm_lane::Inst,
        (surface, channels): (ctm_lane::Surface, Channels),
        places: &[Place],
        depths: &[u32],
    ) -> Option<Plan> {
        let args = self.function.args(store);
        let words = words_of(self.layouts[surface.index()].surface.format)?;
        let stored = &args[2..2 + words];
        let calculated: Vec<usize> = (0..words).filter(|&word| !self.is_uniform(stored[word])).collect();
        let is_whole = self.function.mask_constant(args[6]) == Some(true) && (0..words).all(|word| channels.has(word));
        if !is_whole || calculated.is_empty() {
            return None;
        }
        let wanted = calculated.iter().map(|&word| stored[word]).collect();
        let vectors = vec![vec![Val::None; self.function.value_count()]; words];
        let (leaves, body, params) = (HashMap::new(), Vec::new(), Vec::new());
        let plan = Plan { words, calculated, leaves, body, params, vectors };
        let mut search = Search {
            selector: self,
            places,
            plan,
            known: HashMap::new(),
            calculated: HashSet::new(),
            open: Vec::new(),
            uses: HashMap::new(),
        };
        search.want(wanted)?;
        while let Some(first) = search.open.pop() {
            search.visit(first)?;
        }
        search.finish(store, depths)
    }

    /// Notes what a plan does where.
    fn enter_plan(&mut self, store: ctm_lane::Inst, plan: Plan, places: &[Place]) {
        let number = self.interleaved_stores.plans.len();
        let position = |block: Block| (self.graph.position(block), 0);
        let defined = |&value: &Value| match self.function.def(value) {
            Def::Param(block, _) => position(block),
            Def::Result(inst, _) => places[inst.index()],
        };
        let store_place = places[store.index()];
        let is_kept = |&load: &Value| {
            let (block, at) = defined(&load);
            let between = || &self.function.insts(self.graph.order[block])[at..store_place.1 - 1];
            let writes = |inst: &ctm_lane::Inst| self.function.op(*inst).effect() == Effect::WritesMemory;
            plan.params.is_empty() && block == store_place.0 && !between().iter().any(writes)
        };
        let loads =
            plan.leaves.values().filter_map(|leaf| if let Leaf::Loaded(load, _) = leaf { Some(*load) } else { None });
        let (kept, others): (HashSet<Value>, HashSet<Value>) = loads.partition(is_kept);
        let known: HashSet<Value> = self.interleaved_stores.rows.keys().copied().collect();
        let mut steps: Vec<(Place, Step)> = Vec::new();
        for (&value, leaf) in &plan.leaves {
            // All of them reach the same users, so the last one comes after the others.
            let place = match leaf {
                Leaf::Loaded(load, _) => {
                    self.interleaved_stores.rows.insert(*load, Vec::new());
                    defined(load)
                }
                Leaf::Uniform(quantity) => quantity.iter().map(defined).max().unwrap_or_default(),
            };
            steps.push((place, Step::Leaf(value)));
        }
        // What another plan wants too may be wanted later.
        self.interleaved_stores.kept.retain(|load| !others.contains(load));
        self.interleaved_stores.kept.extend(kept.into_iter().filter(|load| !known.contains(load)));
        steps.sort_by_key(|&(place, step)| (place, if let Step::Leaf(value) = step { value.index() } else { 0 }));
        steps.extend(plan.params.iter().map(|&(block, _, param)| (position(block), Step::Param(param))));
        steps.extend(plan.body.iter().map(|&(last, first)| (places[last.index()], Step::Calculate(first))));
        for (place, step) in steps {
            self.interleaved_stores.steps.entry(place).or_default().push((number, step));
        }
        let args = self.function.args(store).to_vec();
        self.interleaved_stores.of_stores.insert((*self.function.op(store), args), number);
        self.interleaved_stores.stores.push(store);
        self.interleaved_stores.plans.push(plan);
    }

    /// Whether a store wants the elements of a load as they lie in memory.
    pub(super) fn wants_rows(&self, load: Value) -> bool {
        self.interleaved_stores.rows.contains_key(&load)
    }

    /// Whether the elements of such a load may be loaded where they are wanted.
    pub(super) fn keeps_rows(&self, load: Value) -> bool {
        self.interleaved_stores.kept.contains(&load)
    }

    pub(super) fn note_rows(&mut self, load: Value, rows: Vec<Val>) {
        self.interleaved_stores.rows.insert(load, rows);
    }

    /// Elements as they lie in memory.
    pub(super) fn load_rows(&mut self, format: Format, row: &Row) -> Vec<Reg> {
        let bytes = self.isa.bytes();
        let at = |number: usize| Arg::Mem(row.at(bytes * number as i32));
        (0..format.channels()).map(|number| self.vector_op(Vop::Load, &[at(number)])).collect()
    }

    /// Calculates what plans want after so many instructions of a block.
    pub fn follow_plans(&mut self, block: Block, insts: usize) {
        let place = (self.graph.position(block), insts);
        for (number, step) in self.interleaved_stores.steps.get(&place).cloned().unwrap_or_default() {
            let mut vectors = std::mem::take(&mut self.interleaved_stores.plans[number].vectors);
            match step {
                Step::Leaf(value) => match self.leaf(number, value) {
                    Some(vals) => vectors.iter_mut().zip(vals).for_each(|(vector, val)| vector[value.index()] = val),
                    None => {
                        self.interleaved_stores.abandoned.insert(self.interleaved_stores.stores[number]);
                        self.refuse();
                    }
                },
                Step::Calculate(inst) => {
                    for vector in &mut vectors {
                        std::mem::swap(&mut self.values, vector);
                        self.inst(inst);
                        std::mem::swap(&mut self.values, vector);
                    }
                }
                Step::Param(param) => {
                    for vector in &mut vectors {
                        let reg = self.machine.reg(Class::Vector);
                        self.params.push(reg);
                        vector[param.index()] = Val::Reg(reg);
                    }
                }
            }
            self.interleaved_stores.plans[number].vectors = vectors;
        }
    }

    /// What plans give to the parameters of a block, after what everybody gives.
    pub fn planned_args(&mut self, target: &ctm_lane::BranchTarget) -> Vec<Arg> {
        let mut args = Vec::new();
        for plan in &self.interleaved_stores.plans {
            for &(_, number, _) in plan.params.iter().filter(|(block, ..)| *block == target.block) {
                args.extend(plan.vectors.iter().map(|vector| vector[target.args[number].index()]));
            }
        }
        args.into_iter().map(|val| self.arg_of(val)).collect()
    }

    /// For each vector of a row a quantity that is not calculated; `None` if it cannot be had.
    fn leaf(&mut self, plan: usize, value: Value) -> Option<Vec<Val>> {
        let Plan { words, calculated, leaves, .. } = &self.interleaved_stores.plans[plan];
        let words = *words;
        match &leaves[&value] {
            Leaf::Uniform(quantity) => {
                let mut repeated = vec![self.values[value.index()]; words];
                for (&word, value) in calculated.iter().zip(quantity) {
                    repeated[word] = self.values[value.index()];
                }
                Some(vec![self.repeated(&repeated); words])
            }
            Leaf::Loaded(load, order) => {
                let (rows, order) = (self.interleaved_stores.rows[load].clone(), order.clone());
                let rows: Vec<Val> = rows.into_iter().map(|row| self.ordered(row, &order)).collect();
                (!rows.is_empty()).then_some(rows)
            }
        }
    }

    /// Stores elements by their plan; false if there is none that could be followed.
    pub(super) fn store_untransposed(&mut self, row: &Row, op: Op, args: &[Value]) -> bool {
        let Some(&number) = self.interleaved_stores.of_stores.get(&(op, args.to_vec())) else { return false };
        let stored = &args[2..6];
        let Plan { words, ref calculated, ref vectors, .. } = self.interleaved_stores.plans[number];
        let result = stored[calculated[0]];
        let (calculated, vals) = (calculated.clone(), vectors.iter().map(|vector| vector[result.index()]));
        let vals: Vec<Val> = vals.collect();
        let is_fixed = |word: usize| !calculated.contains(&word);
        let fixed = (calculated.len() < words).then(|| {
            let val = |word: usize| if is_fixed(word) { self.values[stored[word].index()] } else { Val::Const(0) };
            let vals: Vec<Val> = (0..words).map(val).collect();
            let mask = self.once(|selector| selector.mask_of(|lane| is_fixed(lane as usize % words)));
            (mask, self.repeated(&vals))
        });
        let mut rows = Vec::new();
        for val in vals {
            let row = self.arg_of(val);
            let mut row = self.load_arg(row);
            if let Some((mask, fixed)) = fixed {
                let fixed = self.arg_of(fixed);
                row = self.blend(mask, fixed, row);
            }
            rows.push(row);
        }
        if self.has_tainted(&stored[..words]) {
            self.check_regs(&rows);
        }
        for (number, words) in (0..).zip(rows) {
            self.put_in_row(row, number, words, Lanes::All);
        }
        true
    }

    /// The words of elements in another order.
    fn ordered(&mut self, row: Val, order: &[usize]) -> Val {
        if order.iter().enumerate().all(|(word, &from)| word == from) {
            return row;
        }
        let lane = |at: usize| at / order.len() * order.len() + order[at % order.len()];
        let lanes = (0..4).rev().fold(0, |bits, at| bits << 2 | lane(at) as i32);
        let row = self.arg_of(row);
        let row = Arg::Reg(self.load_arg(row));
        Val::Reg(self.vector_op(Vop::PermuteQuad, &[row, Arg::Imm(lanes)]))
    }

    /// A vector in which these repeat, each of them the same in all lanes.
    fn repeated(&mut self, vals: &[Val]) -> Val {
        if vals.iter().all(|val| *val == vals[0]) {
            return vals[0];
        }
        let constants: Option<Vec<u32>> =
            vals.iter().map(|val| if let Val::Const(bits) = *val { Some(bits) } else { None }).collect();
        if let Some(constants) = constants {
            let all = constants.repeat(self.isa.lanes() as usize / vals.len());
            let all = self.vector_constant(&all);
            return Val::Reg(self.hoisted(all));
        }
        let joined = |selector: &mut Self| {
            let first = selector.arg_of(vals[0]);
            let mut joined = selector.load_arg(first);
            for (word, &val) in vals.iter().enumerate().skip(1) {
                let mask = selector.mask_of(|lane| lane as usize % vals.len() == word);
                let val = selector.arg_of(val);
                joined = selector.blend(mask, val, joined);
            }
            Val::Reg(joined)
        };
        let is_known_before = vals.iter().all(|val| matches!(val, Val::Const(_) | Val::Entry(..)));
        if is_known_before { self.once(joined) } else { joined(self) }
    }
}
