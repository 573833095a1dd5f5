//! The shape of a function: predecessors, reverse postorder, dominators.

use crate::ancestors::Ancestors;
use crate::effort::Patience;
use crate::entity::Block;
use crate::function::{BranchTarget, Function, Terminator};
use std::collections::HashSet;

/// Number that stands for "none" in the tables.
const NONE: u32 = u32::MAX;
/// Loops in each other that are told apart.
const MOST_NESTED: usize = 64;

/// Order, predecessors and dominators of the blocks that can be reached.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The blocks that can be reached, in reverse postorder: dominators come before what they dominate, and all
    /// predecessors but those on loop edges come before a block. The blocks of a loop are in one piece.
    pub order: Vec<Block>,
    /// The position of a block in `order`, by block.
    position: Vec<u32>,
    /// Immediate dominators, as places, by position.
    dominator: Vec<u32>,
    /// Predecessors of all blocks in a row, once for each edge from a block that can be reached.
    predecessors: Vec<Block>,
    /// Where the predecessors of each block start, and where the last ones end.
    starts: Vec<u32>,
    /// Whether some edge goes back to a block, by block.
    heads: Vec<bool>,
    /// First and last visit of each position in a walk over the dominator tree: a dominates b when its span holds b's.
    span: Vec<(u32, u32)>,
}

impl Graph {
    /// Looks at a function, every block of which has a terminator with targets in range.
    pub fn new(function: &Function) -> Self {
        let graph = Self::in_order(function, reverse_postorder(function, |_| false));
        if graph.loop_heads().next().is_none() {
            return graph;
        }
        let Some(nest) = Nest::new(&graph) else { return graph };
        let leaves_first = |block: Block| match function.terminator(block) {
            Terminator::If { then, otherwise, .. } | Terminator::Any { then, otherwise, .. } => {
                nest.shared(block, then.block) < nest.shared(block, otherwise.block)
            }
            Terminator::Jump(_) | Terminator::Return | Terminator::Trap { .. } => false,
        };
        match graph.order.iter().any(|&block| leaves_first(block)) {
            true => Self::in_order(function, reverse_postorder(function, leaves_first)),
            false => graph,
        }
    }

    fn in_order(function: &Function, order: Vec<Block>) -> Self {
        let count = function.block_count();
        let mut position = vec![NONE; count];
        for (at, block) in order.iter().enumerate() {
            position[block.index()] = at as u32;
        }
        let mut starts = vec![0u32; count + 1];
        for &block in &order {
            for target in function.terminator(block).targets() {
                starts[target.block.index() + 1] += 1;
            }
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut predecessors = vec![Block(0); starts[count] as usize];
        let mut heads = vec![false; count];
        for &block in &order {
            for target in function.terminator(block).targets() {
                heads[target.block.index()] |= position[block.index()] >= position[target.block.index()];
                let slot = &mut next[target.block.index()];
                predecessors[*slot as usize] = block;
                *slot += 1;
            }
        }
        let (dominator, span) = (Vec::new(), Vec::new());
        let mut graph = Self { order, position, dominator, predecessors, starts, heads, span };
        graph.dominate_in_order();
        if !graph.order.iter().all(|&block| graph.goes_back_to_dominators(block)) {
            graph.dominate_anywhere(function);
        }
        graph
    }

    /// The blocks of the loop with this head, in the order of `order`; `None` if there is a way into it that passes by the head.
    pub fn natural_loop(&self, head: Block) -> Option<Vec<Block>> {
        self.collect_loop(head, &mut vec![NONE; self.position.len()], &mut { usize::MAX })
    }

    /// The blocks of all such loops; not of all of them where very many lie in each other.
    pub fn looping_blocks(&self) -> HashSet<Block> {
        let (mut visited, mut left) = (vec![NONE; self.position.len()], MOST_NESTED * self.order.len());
        let mut body = |head| self.collect_loop(head, &mut visited, &mut left);
        self.loop_heads().filter_map(&mut body).flatten().collect()
    }

    /// The same. `visited` has another block than the head for each block at first; so many blocks are `left` to be visited.
    fn collect_loop(&self, head: Block, visited: &mut [u32], left: &mut usize) -> Option<Vec<Block>> {
        let back = |&from: &Block| self.is_loop_edge(from, head);
        let mut open: Vec<Block> = self.predecessors(head).iter().copied().filter(back).collect();
        let mut body = vec![head];
        visited[head.index()] = head.0;
        while let Some(block) = open.pop() {
            *left = left.checked_sub(1)?;
            if std::mem::replace(&mut visited[block.index()], head.0) != head.0 {
                if !self.dominates(head, block) {
                    return None;
                }
                body.push(block);
                open.extend(self.predecessors(block));
            }
        }
        body.sort_unstable_by_key(|&block| self.position(block));
        Some(body)
    }

    /// The blocks of the loops that have no other loops in them, if they are so few.
    pub(crate) fn innermost_loops(&self, most: usize) -> Vec<Vec<Block>> {
        let mut visited = vec![NONE; self.position.len()];
        let mut is_head = vec![false; self.position.len()];
        self.loop_heads().for_each(|head| is_head[head.index()] = true);
        // What lies between a head and its last way back has a head of its own if there is a loop inside.
        let has_inner = |head: Block| {
            let back = self.predecessors(head).iter().map(|&from| self.position(from));
            let last = back.max().unwrap_or(0).max(self.position(head));
            let inside = &self.order[self.position(head)..=last];
            inside.len() > most || inside[1..].iter().any(|block| is_head[block.index()])
        };
        let has_loop = |head: Block| self.predecessors(head).iter().any(|&from| self.is_loop_edge(from, head));
        let heads = self.loop_heads().filter(|&head| has_loop(head) && !has_inner(head));
        heads.filter_map(|head| self.collect_loop(head, &mut visited, &mut { usize::MAX })).collect()
    }

    /// Whether the block can be reached.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position[block.index()] != NONE
    }

    /// The position of a block in `order`; only for blocks that can be reached.
    pub fn position(&self, block: Block) -> usize {
        self.position[block.index()] as usize
    }

    /// The blocks that go to this one, once for each edge, in the order of `order`.
    pub fn predecessors(&self, block: Block) -> &[Block] {
        &self.predecessors[self.starts[block.index()] as usize..self.starts[block.index() + 1] as usize]
    }

    /// The edges that lead to this block, with their arguments.
    pub(crate) fn edges<'f>(&self, function: &'f Function, block: Block) -> Vec<&'f BranchTarget> {
        let targets = self.predecessors(block).iter().flat_map(|&from| function.terminator(from).targets());
        targets.filter(|target| target.block == block).collect()
    }

    /// The block that every way to this one passes last; `None` for the entry.
    pub fn immediate_dominator(&self, block: Block) -> Option<Block> {
        let position = self.position(block);
        (position != 0).then(|| self.order[self.dominator[position] as usize])
    }

    /// Whether every way to `b` passes `a`; both can be reached. A block dominates itself.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (outer, inner) = (self.span[self.position(a)], self.span[self.position(b)]);
        outer.0 <= inner.0 && inner.1 <= outer.1
    }

    /// Whether an edge between these blocks closes a loop: the target dominates the source.
    pub fn is_loop_edge(&self, from: Block, to: Block) -> bool {
        self.dominates(to, from)
    }

    /// The blocks to which some edge goes back in `order`.
    pub fn loop_heads(&self) -> impl Iterator<Item = Block> {
        self.order.iter().copied().filter(|&block| self.is_loop_head(block))
    }

    /// Whether some edge goes back to this block in `order`.
    pub fn is_loop_head(&self, block: Block) -> bool {
        self.heads[block.index()]
    }

    /// Visits all blocks in order, and those of a loop again while something new comes around to its head. `enter` takes what comes to a block,
    /// and says whether that is new. Gives whether all has settled before patience was over.
    pub(crate) fn visit_until_settled<S>(
        &self,
        function: &Function,
        state: &mut S,
        visit: impl Fn(&mut S, Block),
        enter: impl Fn(&mut S, Block) -> bool,
        patience: &Patience,
    ) -> bool {
        let mut at = 0;
        while let Some(&block) = self.order.get(at) {
            let handed = function.params(block).len() * self.predecessors(block).len();
            if !patience.spend(1 + function.insts(block).len() + handed) {
                return false;
            }
            visit(state, block);
            let mut next = at + 1;
            for target in function.terminator(block).targets() {
                let position = self.position(target.block);
                if position <= at && enter(state, target.block) {
                    next = next.min(position);
                }
            }
            at = next;
        }
        true
    }

    /// Finds dominators as if no edge went back in `order`. If all edges that do go to dominators of their sources, as in structured code, a way
    /// with them passes all that the same way without its detours passes, so that this is right. It takes a time of n log n.
    fn dominate_in_order(&mut self) {
        let mut tree = Ancestors::roots(self.order.len());
        for at in 1..self.order.len() as u32 {
            let places = self.predecessors(self.order[at as usize]).iter().map(|from| self.position[from.index()]);
            let above = places.filter(|&from| from < at).reduce(|a, b| tree.meet(a, b).unwrap_or(0));
            tree.put_below(at, above.unwrap_or(0));
        }
        self.dominator = (0..self.order.len() as u32).map(|at| tree.above(at).unwrap_or(0)).collect();
        self.find_spans();
    }

    /// Whether all edges that go back to a block in `order` come from blocks that it dominates.
    fn goes_back_to_dominators(&self, block: Block) -> bool {
        let is_back = |from: &&Block| self.position(**from) >= self.position(block);
        !self.is_loop_head(block)
            || self.predecessors(block).iter().filter(is_back).all(|&from| self.is_loop_edge(from, block))
    }

    /// Finds dominators by the method of Lengauer and Tarjan ("A Fast Algorithm for Finding Dominators in a Flowgraph") with compressed paths, which
    /// takes a time of n log n for any program.
    fn dominate_anywhere(&mut self, function: &Function) {
        let mut walk = Walk::new(self, function);
        let count = walk.nodes.len() as u32;
        for at in (1..count).rev() {
            let Node { place, parent, .. } = walk.nodes[at as usize];
            let mut semi = at;
            for from in self.predecessors(self.order[place as usize]) {
                let best = walk.best(walk.numbers[self.position(*from)]);
                semi = semi.min(walk.nodes[best as usize].semi);
            }
            let next = std::mem::replace(&mut walk.nodes[semi as usize].first, at);
            let node = &mut walk.nodes[at as usize];
            (node.semi, node.next, node.ancestor) = (semi, next, parent);
            let mut other = std::mem::replace(&mut walk.nodes[parent as usize].first, NONE);
            while other != NONE {
                let best = walk.best(other);
                let is_lower = walk.nodes[best as usize].semi < walk.nodes[other as usize].semi;
                let node = &mut walk.nodes[other as usize];
                (node.dominator, other) = (if is_lower { best } else { parent }, node.next);
            }
        }
        self.dominator = vec![0; self.order.len()];
        for at in 1..count as usize {
            let Node { place, semi, dominator, .. } = walk.nodes[at];
            if dominator != semi {
                walk.nodes[at].dominator = walk.nodes[dominator as usize].dominator;
            }
            self.dominator[place as usize] = walk.nodes[walk.nodes[at].dominator as usize].place;
        }
        self.find_spans();
    }

    /// Numbers the dominator tree. Children follow their parents in `order`, so sizes of subtrees suffice.
    fn find_spans(&mut self) {
        let count = self.order.len();
        let mut size = vec![1u32; count];
        for at in (1..count).rev() {
            size[self.dominator[at] as usize] += size[at];
        }
        let mut free = vec![0u32; count];
        let mut span = vec![(0, 0); count];
        for at in 0..count {
            let first = if at == 0 {
                0
            } else {
                let parent = self.dominator[at] as usize;
                let first = free[parent];
                free[parent] += size[at];
                first
            };
            span[at] = (first, first + size[at] - 1);
            free[at] = first + 1;
        }
        self.span = span;
    }
}

/// A walk into the depth: blocks have numbers in the order in which it comes to them.
struct Walk {
    nodes: Vec<Node>,
    /// The numbers of blocks, by their positions.
    numbers: Vec<u32>,
    /// What [`best`](Self::best) has on its way.
    way: Vec<u32>,
}

/// A block of a walk. All but places are numbers.
struct Node {
    /// Its position.
    place: u32,
    /// From where the walk came to it.
    parent: u32,
    /// Its semidominator, as far as it is known, and its dominator.
    semi: u32,
    dominator: u32,
    /// Of those whose semidominator it is the first, and the next of those that have the same one as it.
    first: u32,
    next: u32,
    /// Parts of the walk's tree are put together from its ends to its root: one above it in its part, and the one with the least semidominator on the
    /// way there.
    ancestor: u32,
    label: u32,
}

impl Walk {
    fn new(graph: &Graph, function: &Function) -> Self {
        let count = graph.order.len();
        let mut walk = Self { nodes: Vec::with_capacity(count), numbers: vec![NONE; count], way: Vec::new() };
        let mut open = vec![(0, 0)];
        while let Some((place, parent)) = open.pop() {
            let number = &mut walk.numbers[place as usize];
            if *number != NONE {
                continue;
            }
            *number = walk.nodes.len() as u32;
            let (number, none) = (*number, NONE);
            walk.nodes.push(Node {
                place,
                parent,
                semi: number,
                dominator: 0,
                first: none,
                next: none,
                ancestor: none,
                label: number,
            });
            let targets = function.terminator(graph.order[place as usize]).targets();
            open.extend(targets.map(|target| (graph.position[target.block.index()], number)));
        }
        walk
    }

    /// The one with the least semidominator on the way from this one up to the root of its part.
    fn best(&mut self, from: u32) -> u32 {
        let Self { nodes, way, .. } = self;
        let mut at = from;
        loop {
            let above = nodes[at as usize].ancestor;
            if above == NONE || nodes[above as usize].ancestor == NONE {
                break;
            }
            way.push(at);
            at = above;
        }
        while let Some(at) = way.pop() {
            let Node { ancestor, label, .. } = nodes[nodes[at as usize].ancestor as usize];
            let is_lower = nodes[label as usize].semi < nodes[nodes[at as usize].label as usize].semi;
            let node = &mut nodes[at as usize];
            (node.ancestor, node.label) = (ancestor, if is_lower { label } else { node.label });
        }
        nodes[from as usize].label
    }
}

/// Which loops lie in which.
struct Nest {
    /// The innermost loop of each block.
    innermost: Vec<Option<usize>>,
    /// For each loop the next one around it, and how many there are.
    around: Vec<(Option<usize>, usize)>,
}

impl Nest {
    /// None if too many lie in each other.
    fn new(graph: &Graph) -> Option<Self> {
        let mut left = MOST_NESTED * graph.order.len();
        let mut nest = Self { innermost: vec![None; graph.position.len()], around: Vec::new() };
        let mut visited = vec![NONE; graph.position.len()];
        // Outer loops come first.
        for head in graph.loop_heads() {
            let body = graph.collect_loop(head, &mut visited, &mut left);
            if left == 0 {
                return None;
            }
            let Some(body) = body else { continue };
            let outer = nest.innermost[head.index()];
            if nest.depth(outer) == MOST_NESTED {
                return None;
            }
            nest.around.push((outer, nest.depth(outer)));
            for block in body {
                nest.innermost[block.index()] = Some(nest.around.len() - 1);
            }
        }
        Some(nest)
    }

    fn depth(&self, one: Option<usize>) -> usize {
        one.map_or(0, |one| self.around[one].1 + 1)
    }

    /// How many loops both blocks are in.
    fn shared(&self, a: Block, b: Block) -> usize {
        let (mut a, mut b) = (self.innermost[a.index()], self.innermost[b.index()]);
        while a != b {
            let one = if self.depth(a) < self.depth(b) { &mut b } else { &mut a };
            *one = one.and_then(|one| self.around[one].0);
        }
        self.depth(a)
    }
}

/// A depth-first walk without recursion. Later targets are visited first, so that the first target of a branch comes
/// right after it; of branches whose first target leaves a loop the second one does.
fn reverse_postorder(function: &Function, leaves_first: impl Fn(Block) -> bool) -> Vec<Block> {
    let targets = |block: Block| {
        let mut targets: Vec<Block> = function.terminator(block).targets().map(|target| target.block).collect();
        if leaves_first(block) {
            targets.reverse();
        }
        targets
    };
    let mut seen = vec![false; function.block_count()];
    let mut postorder = Vec::with_capacity(function.block_count());
    let mut stack = vec![(Function::ENTRY, targets(Function::ENTRY))];
    seen[0] = true;
    while let Some((block, targets_left)) = stack.last_mut() {
        let block = *block;
        match targets_left.pop() {
            Some(target) => {
                if !std::mem::replace(&mut seen[target.index()], true) {
                    stack.push((target, targets(target)));
                }
            }
            None => {
                postorder.push(block);
                stack.pop();
            }
        }
    }
    postorder.reverse();
    postorder
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    /// Random numbers below a bound.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            (self.0 >> 33) as usize % bound
        }
    }

    /// A function of so many blocks that go anywhere.
    fn random_blocks(random: &mut Random, count: usize) -> Function {
        let mut b = Builder::new();
        let (mask, mut all) = (b.covered(), vec![Function::ENTRY]);
        all.extend((1..count).map(|_| b.new_block()));
        for at in 0..count {
            let mut to = || all[1 + random.below(count - 1)];
            let (then, otherwise, way) = (to(), to(), random.below(8));
            b.function.blocks[all[at].index()].terminator = Some(match way {
                0 => Terminator::Return,
                1 | 2 => Terminator::Jump(BranchTarget::new(then)),
                _ => Terminator::Any { mask, then: BranchTarget::new(then), otherwise: BranchTarget::new(otherwise) },
            });
        }
        b.function
    }

    /// The blocks that can be reached without one.
    fn reached_without(function: &Function, without: Option<Block>) -> Vec<bool> {
        let mut reached = vec![false; function.block_count()];
        let mut open = if without == Some(Function::ENTRY) { Vec::new() } else { vec![Function::ENTRY] };
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reached[block.index()], true) {
                let targets = function.terminator(block).targets().map(|target| target.block);
                open.extend(targets.filter(|&target| Some(target) != without));
            }
        }
        reached
    }

    #[test]
    fn a_block_dominates_what_cannot_be_reached_without_it() {
        let mut random = Random(1);
        for case in 0..if cfg!(miri) { 4 } else { 400 } {
            let function = random_blocks(&mut random, 2 + case % 24);
            let (graph, all) = (Graph::new(&function), reached_without(&function, None));
            for a in function.blocks().filter(|block| all[block.index()]) {
                let reached = reached_without(&function, Some(a));
                for b in function.blocks().filter(|block| all[block.index()]) {
                    assert_eq!(graph.dominates(a, b), !reached[b.index()], "case {case}: {a} and {b}");
                }
            }
        }
    }

    /// Loops without a loop inside, and not too large.
    #[test]
    fn innermost_loops_have_a_size() {
        let loops = |text: &str, most: usize| {
            let bodies = Graph::new(&text.parse().unwrap()).innermost_loops(most);
            bodies.iter().map(|body| body.iter().map(|block| block.0).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let nested = "b0:\n%0 = covered\njump b1\nb1:\njump b2\nb2:\nany %0, b2, b3\nb3:\nany %0, b1, b4\nb4:\nreturn";
        assert_eq!(loops(nested, 10), [[2]]);
        let three = "b0:\n%0 = covered\njump b1\nb1:\njump b2\nb2:\njump b3\nb3:\nany %0, b1, b4\nb4:\nreturn";
        assert_eq!((loops(three, 3), loops(three, 2).len()), (vec![vec![1, 2, 3]], 0));
    }
}
