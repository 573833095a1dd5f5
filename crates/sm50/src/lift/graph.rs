//! The ways of a lane through a program.
//!
//! A lane's own stack is that of its warp without tokens of divergence: all other tokens above the one that a lane goes to
//! are popped before, and each holds every lane that is active above it. So where `SYNC`, `BRK`, `CONT` and `RET` lead is
//! known at each place, given the tokens there.

use super::{NotLifted, Specialisation, Walked};
use crate::codes::Test;
use crate::instruction::Instruction;
use crate::operand::PredSource;
use crate::program::Code;
use crate::table::{Class, FlowOp, Op};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Nodes that a graph may have.
const MAX_NODES: usize = 1 << 12;
/// Tokens that may lie on a stack.
const MAX_TOKENS: usize = 64;

/// What made a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TokenKind {
    Sync,
    Break,
    Continue,
    Call,
    LongJump,
}

/// A token, with the number of the instruction that it leads to; `None` if that is outside the code.
type Token = (TokenKind, Option<usize>);

/// A place with the tokens there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Context {
    at: usize,
    tokens: Vec<Token>,
    /// SAMs without their RAM, behind a call.
    lent: u32,
}

/// Where lanes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Successor {
    /// To a node.
    To(usize),
    /// They end.
    Exit,
    /// They do what they should not.
    Trap,
}

/// How a node ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// All lanes go the same way.
    All(Successor),
    /// Those for which the last instruction executes go the first way, the others the second.
    Part(Successor, Successor),
    /// Fragments for which the last instruction executes are killed. Those go on that are not, and that help others.
    Kill(Successor),
    /// Lanes wait at a barrier, and leave the function. They go on there.
    Wait(Successor),
    /// Those for which the last instruction executes leave the function, which has it done for them. All go on there.
    Call(Successor),
}

impl End {
    /// The nodes that lanes go to without leaving the function.
    pub fn targets(self) -> impl Iterator<Item = usize> {
        let leaves = matches!(self, End::Wait(_));
        self.successors().filter(move |_| !leaves)
    }

    /// The nodes that lanes go to.
    fn successors(self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            End::All(way) | End::Kill(way) | End::Wait(way) | End::Call(way) => (way, None),
            End::Part(taken, stay) => (taken, Some(stay)),
        };
        [Some(first), second].into_iter().flatten().filter_map(|way| match way {
            Successor::To(node) => Some(node),
            Successor::Exit | Successor::Trap => None,
        })
    }
}

/// Where lanes leave a function.
#[derive(Clone, Copy)]
pub(super) struct Leaves<'a> {
    /// At barriers.
    pub at_barriers: bool,
    /// At these instructions.
    pub at_calls: &'a BTreeSet<usize>,
}

/// Instructions in a row.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub instructions: Range<usize>,
    pub end: End,
    /// Tokens of a lane that comes here.
    pub tokens_before: usize,
    /// Tokens of a lane at the last instruction.
    pub tokens_after: usize,
    /// SAMs without their RAM where it begins.
    pub lent: u32,
}

/// The nodes, in the order in which the function visits them: what follows comes later, if it can, and a loop is in one
/// piece.
pub(super) struct Graph {
    pub nodes: Vec<Node>,
}

impl Graph {
    /// Of a program, whose lanes leave the function at some instructions.
    pub(super) fn new(code: &Code, specialisation: &Specialisation, leaves: Leaves) -> Walked<Graph> {
        let targets = code.instructions().iter().enumerate();
        let targets = targets.filter_map(|(index, i)| code.index_at(i.direct_target(Code::address(index))?));
        let mut builder = Builder {
            code,
            kill: match (specialisation.header.kills_pixels, &specialisation.pixels) {
                (false, _) => Kill::Traps,
                (true, None) => Kill::Ends,
                (true, Some(_)) => Kill::Helps,
            },
            has_quads: specialisation.pixels.is_some(),
            leaves,
            meets: targets.collect(),
            numbers: HashMap::new(),
            contexts: Vec::new(),
        };
        builder.number(Context { at: 0, tokens: Vec::new(), lent: 0 })?;
        let mut nodes = Vec::new();
        while let Some(context) = builder.contexts.get(nodes.len()).cloned() {
            nodes.push(builder.node(context)?);
        }
        Ok(Graph { nodes }.ordered())
    }

    /// Whether lanes that do not end stay together.
    pub(super) fn is_straight(&self) -> bool {
        self.nodes.iter().enumerate().all(|(at, node)| node.end.targets().all(|target| target == at + 1))
    }

    /// Whether fragments are killed.
    pub(super) fn kills(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.end, End::Kill(_)))
    }

    /// The nodes to which lanes come back after barriers, each with the instruction of the barrier.
    pub(super) fn resumes(&self) -> impl Iterator<Item = (usize, usize)> {
        self.nodes.iter().filter_map(|node| match node.end {
            End::Wait(Successor::To(next)) => Some((next, node.instructions.end - 1)),
            End::Wait(_) | End::All(_) | End::Part(..) | End::Kill(_) | End::Call(_) => None,
        })
    }

    /// The nodes to which lanes come back from calls, each with the instruction that they call for.
    pub(super) fn returns(&self) -> impl Iterator<Item = (usize, usize)> {
        self.nodes.iter().filter_map(|node| match node.end {
            End::Call(Successor::To(next)) => Some((next, node.instructions.end - 1)),
            End::Call(_) | End::Wait(_) | End::All(_) | End::Part(..) | End::Kill(_) => None,
        })
    }

    /// For each node the last one that goes back to it, if any does.
    pub(super) fn last_back(&self) -> Vec<Option<usize>> {
        let mut last_back = vec![None; self.nodes.len()];
        for (from, node) in self.nodes.iter().enumerate() {
            for to in node.end.targets().filter(|&to| to <= from) {
                last_back[to] = Some(from);
            }
        }
        last_back
    }

    /// Depth first, what is further down in the code first: then what leaves a loop does not tear it apart.
    fn ordered(self) -> Graph {
        let mut later: Vec<Vec<usize>> = self.nodes.iter().map(|node| node.end.successors().collect()).collect();
        for targets in &mut later {
            // The last one is taken first.
            targets.sort_by_key(|&target| self.nodes[target].instructions.start);
        }
        let (mut seen, mut stack, mut order) = (vec![false; self.nodes.len()], vec![0], Vec::new());
        seen[0] = true;
        while let Some(&node) = stack.last() {
            match later[node].pop() {
                Some(next) if seen[next] => {}
                Some(next) => {
                    seen[next] = true;
                    stack.push(next);
                }
                None => {
                    order.push(node);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut position = vec![0; self.nodes.len()];
        for (at, &node) in order.iter().enumerate() {
            position[node] = at;
        }
        let moved = |way| match way {
            Successor::To(node) => Successor::To(position[node]),
            Successor::Exit | Successor::Trap => way,
        };
        let node = |&node: &usize| Node {
            instructions: self.nodes[node].instructions.clone(),
            end: match self.nodes[node].end {
                End::All(way) => End::All(moved(way)),
                End::Part(taken, stay) => End::Part(moved(taken), moved(stay)),
                End::Kill(way) => End::Kill(moved(way)),
                End::Wait(way) => End::Wait(moved(way)),
                End::Call(way) => End::Call(moved(way)),
            },
            ..self.nodes[node]
        };
        Graph { nodes: order.iter().map(node).collect() }
    }
}

/// What `KIL` does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kill {
    /// The header does not announce it.
    Traps,
    /// It ends lanes.
    Ends,
    /// It ends quads, and makes helpers of lanes.
    Helps,
}

struct Builder<'a> {
    code: &'a Code,
    kill: Kill,
    /// Lanes are pixels of quads.
    has_quads: bool,
    leaves: Leaves<'a>,
    /// Instructions that lanes may come to from elsewhere.
    meets: HashSet<usize>,
    numbers: HashMap<Context, usize>,
    contexts: Vec<Context>,
}

impl Builder<'_> {
    fn number(&mut self, context: Context) -> Walked<usize> {
        if let Some(&number) = self.numbers.get(&context) {
            return Ok(number);
        }
        if self.contexts.len() == MAX_NODES || context.tokens.len() > MAX_TOKENS {
            return Err(NotLifted::TooLarge);
        }
        self.numbers.insert(context.clone(), self.contexts.len());
        self.contexts.push(context);
        Ok(self.contexts.len() - 1)
    }

    fn way(&mut self, at: Option<usize>, tokens: &[Token]) -> Walked<Successor> {
        let Some(at) = at.filter(|&at| at < self.code.instructions().len()) else { return Ok(Successor::Trap) };
        self.number(Context { at, tokens: tokens.to_vec(), lent: 0 }).map(Successor::To)
    }

    /// Where lanes go on after a call.
    fn after_call(&mut self, at: usize, tokens: &[Token], lent: u32) -> Walked<Successor> {
        if at >= self.code.instructions().len() {
            return Ok(Successor::Trap);
        }
        self.number(Context { at, tokens: tokens.to_vec(), lent }).map(Successor::To)
    }

    fn node(&mut self, context: Context) -> Walked<Node> {
        use FlowOp::*;
        let Context { at: start, mut tokens, lent } = context;
        let (tokens_before, lent_before, mut lent) = (tokens.len(), lent, lent);
        let mut at = start;
        let end = loop {
            let Some(instruction) = self.code.instructions().get(at) else { break End::All(Successor::Trap) };
            let instruction = *instruction;
            let address = Code::address(at);
            let target = instruction.direct_target(address).and_then(|target| self.code.index_at(target));
            let following = at + 1;
            at = following;
            if self.leaves.at_barriers && instruction.op() == Op::Bar {
                break End::Wait(self.way(Some(following), &tokens)?);
            }
            if self.leaves.at_calls.contains(&(following - 1)) {
                break End::Call(self.after_call(following, &tokens, lent)?);
            }
            if let Class::Flow(op) = instruction.op().class() {
                let mut push = |kind| {
                    tokens.push((kind, target));
                    None
                };
                let leaves = match op {
                    Ssy | Pbk | Pcnt | Pret | Plongjmp | Cal | Jcal if instruction.direct_target(address).is_none() => {
                        break End::All(Successor::Trap);
                    }
                    Ssy => push(TokenKind::Sync),
                    Pbk => push(TokenKind::Break),
                    Pcnt => push(TokenKind::Continue),
                    Pret => push(TokenKind::Call),
                    Plongjmp => push(TokenKind::LongJump),
                    Cal | Jcal => {
                        tokens.push((TokenKind::Call, Some(following)));
                        break End::All(self.way(target, &tokens)?);
                    }
                    Brx | Jmx => return Err(NotLifted::IndexedBranch),
                    Bra | Jmp => Some(self.way(target, &tokens)?),
                    Sync => Some(self.unwound(top(&tokens, TokenKind::Sync), &tokens)?),
                    Brk => Some(self.unwound(nearest(&tokens, TokenKind::Break), &tokens)?),
                    Cont => Some(self.unwound(nearest(&tokens, TokenKind::Continue), &tokens)?),
                    Ret => Some(self.unwound(nearest(&tokens, TokenKind::Call), &tokens)?),
                    Longjmp => Some(self.unwound(nearest(&tokens, TokenKind::LongJump), &tokens)?),
                    Exit => Some(Successor::Exit),
                    Kil if self.kill == Kill::Helps => break End::Kill(self.way(Some(following), &tokens)?),
                    Kil if self.kill == Kill::Ends => Some(Successor::Exit),
                    // Whole quads stay as they are, and the function traps where there are others.
                    Sam if self.has_quads => {
                        lent += 1;
                        None
                    }
                    Ram if self.has_quads => {
                        lent = lent.saturating_sub(1);
                        None
                    }
                    Kil | Pexit | Sam | Ram => Some(Successor::Trap),
                };
                if let Some(taken) = leaves {
                    break self.parted(&instruction, taken, following, &tokens)?;
                }
            }
            if self.meets.contains(&at) {
                break End::All(self.way(Some(at), &tokens)?);
            }
        };
        Ok(Node { instructions: start..at, end, tokens_before, tokens_after: tokens.len(), lent: lent_before })
    }

    /// Where lanes go that leave what was entered since this token; without one they trap.
    fn unwound(&mut self, token: Option<usize>, tokens: &[Token]) -> Walked<Successor> {
        match token {
            Some(token) => self.way(tokens[token].1, &tokens[..token]),
            None => Ok(Successor::Trap),
        }
    }

    /// The end of a node whose last instruction takes some lanes another way.
    fn parted(
        &mut self,
        instruction: &Instruction,
        taken: Successor,
        following: usize,
        tokens: &[Token],
    ) -> Walked<End> {
        if instruction.guard() == PredSource::TRUE && instruction.test() == Test::T {
            return Ok(End::All(taken));
        }
        Ok(End::Part(taken, self.way(Some(following), tokens)?))
    }
}

/// The top token, if it is of this kind.
fn top(tokens: &[Token], kind: TokenKind) -> Option<usize> {
    tokens.len().checked_sub(1).filter(|&top| tokens[top].0 == kind)
}

/// The nearest token of this kind.
fn nearest(tokens: &[Token], kind: TokenKind) -> Option<usize> {
    tokens.iter().rposition(|&(known, _)| known == kind)
}
