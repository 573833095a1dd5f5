//! Trees that grow from their roots, in which the last common ancestor of two nodes is found in log n steps, for any shape. Nodes are numbers;
//! what they stand for is the user's.
//!
//! Each node knows, beside the one above it, one farther up, chosen so that few such leaps lead to any ancestor (Myers, "An Applicative Random-Access
//! Stack"). How far they go depends on depths alone, so nodes of the same depth can leap together.

/// Stands for "none".
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    above: u32,
    leap: u32,
    depth: u32,
}

/// Such trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ancestors {
    nodes: Vec<Node>,
}

impl Ancestors {
    /// So many roots.
    pub fn roots(count: usize) -> Self {
        let mut trees = Self { nodes: Vec::with_capacity(count) };
        (0..count).for_each(|_| trees.add_root());
        trees
    }

    /// Adds a root, which has the next number.
    pub fn add_root(&mut self) {
        self.nodes.push(Node { above: NONE, leap: self.nodes.len() as u32, depth: 0 });
    }

    /// Puts a root that nothing is below of below another node.
    pub fn put_below(&mut self, root: u32, above: u32) {
        let Node { leap, depth, .. } = self.nodes[above as usize];
        let far = self.nodes[leap as usize];
        let is_even = depth - far.depth == far.depth - self.nodes[far.leap as usize].depth;
        self.nodes[root as usize] = Node { above, leap: if is_even { far.leap } else { above }, depth: depth + 1 };
    }

    /// The node above.
    pub fn above(&self, node: u32) -> Option<u32> {
        let above = self.nodes[node as usize].above;
        (above != NONE).then_some(above)
    }

    /// The last node above both, or one of them itself; `None` if they lie in different trees.
    pub fn meet(&self, mut a: u32, mut b: u32) -> Option<u32> {
        let node = |number: u32| self.nodes[number as usize];
        if node(a).depth < node(b).depth {
            std::mem::swap(&mut a, &mut b);
        }
        let depth = node(b).depth;
        while node(a).depth > depth {
            let Node { above, leap, .. } = node(a);
            a = if node(leap).depth >= depth { leap } else { above };
        }
        while a != b {
            let (one, other) = (node(a), node(b));
            if one.above == NONE {
                return None;
            }
            (a, b) = if one.leap != other.leap { (one.leap, other.leap) } else { (one.above, other.above) };
        }
        Some(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_meet_in_their_last_common_ancestor() {
        let count = 400;
        for shape in [1, 2, 3, 40, count] {
            let mut trees = Ancestors::roots(count + 1);
            // Each below one of the last few, so that there are long chains; the last node stays alone.
            for node in 1..count {
                trees.put_below(node as u32, (node - 1 - node * 7919 % shape.min(node)) as u32);
            }
            let way = |node: u32| std::iter::successors(Some(node), |&node| trees.above(node)).collect::<Vec<_>>();
            for (a, b) in (0..count as u32).map(|a| (a, a * 31 % count as u32)) {
                let of_b = way(b);
                let common = way(a).into_iter().find(|node| of_b.contains(node));
                assert_eq!(trees.meet(a, b), common, "{shape}: {a} and {b}");
                assert_eq!(trees.meet(a, count as u32), None);
            }
        }
    }

    #[test]
    fn few_leaps_lead_far() {
        let count = 1 << 16;
        let mut trees = Ancestors::roots(count);
        (1..count as u32).for_each(|node| trees.put_below(node, node - 1));
        let mut steps = 0;
        let mut at = count as u32 - 1;
        while at != 0 {
            at = trees.nodes[at as usize].leap;
            steps += 1;
        }
        assert!(steps <= 34, "{steps}");
    }
}
