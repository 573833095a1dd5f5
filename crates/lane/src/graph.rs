//! The shape of a function: predecessors, reverse postorder, dominators.

use crate::entity::Block;
use crate::function::{Function, Target, Terminator};

/// Number that stands for "none" in the tables.
const NONE: u32 = u32::MAX;

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
        let nest = Nest::new(&graph);
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
        for &block in &order {
            for target in function.terminator(block).targets() {
                let slot = &mut next[target.block.index()];
                predecessors[*slot as usize] = block;
                *slot += 1;
            }
        }
        let mut graph = Self { order, position, dominator: Vec::new(), predecessors, starts, span: Vec::new() };
        graph.find_dominators();
        graph.find_spans();
        graph
    }

    /// The blocks of the loop with this head, in the order of `order`; `None` if there is a way into it that passes by the head.
    pub fn natural_loop(&self, head: Block) -> Option<Vec<Block>> {
        self.collect_loop(head, &mut vec![NONE; self.position.len()])
    }

    /// The same. `visited` has another block than the head for each block at first.
    fn collect_loop(&self, head: Block, visited: &mut [u32]) -> Option<Vec<Block>> {
        let back = |&from: &Block| self.is_loop_edge(from, head);
        let mut open: Vec<Block> = self.predecessors(head).iter().copied().filter(back).collect();
        let mut body = vec![head];
        visited[head.index()] = head.0;
        while let Some(block) = open.pop() {
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
        heads.filter_map(|head| self.collect_loop(head, &mut visited)).collect()
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
    pub(crate) fn edges<'f>(&self, function: &'f Function, block: Block) -> Vec<&'f Target> {
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
        self.predecessors(block).iter().any(|&from| self.position(from) >= self.position(block))
    }

    /// Visits all blocks in order, and those of a loop again while something new comes around to its head. `enter` takes what comes to a block,
    /// and says whether that is new.
    pub(crate) fn visit_until_settled<S>(
        &self,
        function: &Function,
        state: &mut S,
        visit: impl Fn(&mut S, Block),
        enter: impl Fn(&mut S, Block) -> bool,
    ) {
        let mut at = 0;
        while let Some(&block) = self.order.get(at) {
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
    }

    /// Cooper, Harvey and Kennedy's iteration over reverse postorder.
    fn find_dominators(&mut self) {
        let mut dominator = vec![NONE; self.order.len()];
        dominator[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for at in 1..self.order.len() {
                let mut best = NONE;
                for &from in self.predecessors(self.order[at]) {
                    let from = self.position[from.index()];
                    if dominator[from as usize] == NONE {
                        continue;
                    }
                    best = if best == NONE { from } else { meet(&dominator, best, from) };
                }
                if dominator[at] != best {
                    dominator[at] = best;
                    changed = true;
                }
            }
        }
        self.dominator = dominator;
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

/// Which loops lie in which.
struct Nest {
    /// The innermost loop of each block.
    innermost: Vec<Option<usize>>,
    /// For each loop the next one around it, and how many there are.
    around: Vec<(Option<usize>, usize)>,
}

impl Nest {
    fn new(graph: &Graph) -> Self {
        let mut nest = Self { innermost: vec![None; graph.position.len()], around: Vec::new() };
        let mut visited = vec![NONE; graph.position.len()];
        // Outer loops come first.
        for head in graph.loop_heads() {
            let Some(body) = graph.collect_loop(head, &mut visited) else { continue };
            let outer = nest.innermost[head.index()];
            nest.around.push((outer, nest.depth(outer)));
            for block in body {
                nest.innermost[block.index()] = Some(nest.around.len() - 1);
            }
        }
        nest
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

/// The last common dominator of two places.
fn meet(dominator: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = dominator[a as usize];
        }
        while b > a {
            b = dominator[b as usize];
        }
    }
    a
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
