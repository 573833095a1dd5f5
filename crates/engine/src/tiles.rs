//! Groups of the interpreter that are tiles: lanes that lie together leave a loop at about the same time, and a group goes on until its last
//! lane has left.

use ctm_lane::domain::Domain;

/// Rows of a tile, at most.
pub const TILE_ROWS: u32 = 8;

/// The tiles of a rectangle with so many lanes, a multiple of 16, at most. They consist of whole quads, and so may have positions outside.
/// `None` if the rectangle is too narrow to be cut into tiles without many of these.
pub fn tiles(rectangle: Domain, lanes: usize) -> Option<impl Iterator<Item = Domain>> {
    let (i0, j0) = (rectangle.i0 & !1, rectangle.j0 & !1);
    let (across, down) = ((rectangle.i1 | 1) - i0 + 1, (rectangle.j1 | 1) - j0 + 1);
    // Tiles of about the same size are fuller than large ones with a rest.
    let even = |length: u32, most: u32| length.div_ceil(length.div_ceil(most)).next_multiple_of(2);
    let rows = even(down, TILE_ROWS);
    let columns = even(across, (lanes as u32 / rows) & !1);
    let tile = move |i, j| Domain { i0: i, j0: j, i1: i + columns - 1, j1: j + rows - 1 };
    let all = (0..down.div_ceil(rows)).flat_map(move |row| {
        (0..across.div_ceil(columns)).map(move |column| tile(i0 + column * columns, j0 + row * rows))
    });
    (across >= lanes as u32 / 2).then_some(all)
}

/// The positions in a tile, quad by quad.
pub fn positions(tile: Domain) -> impl Iterator<Item = (u32, u32)> {
    let quad = |i: u32, j: u32| [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)];
    let rows = (tile.j0..=tile.j1).step_by(2);
    rows.flat_map(move |j| (tile.i0..=tile.i1).step_by(2).flat_map(move |i| quad(i, j)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn tiles_have_each_position_once() {
        let edges = [(0, 63), (1, 64), (3, 90), (5, 261), (2, 2000)];
        for (i0, i1) in edges {
            for (j0, j1) in [(0, 0), (1, 1), (1, 2), (3, 8), (0, 7), (2, 13), (7, 40)] {
                let rectangle = Domain { i0, j0, i1, j1 };
                let tiles: Vec<Domain> = tiles(rectangle, 128).expect("a wide rectangle").collect();
                assert!(tiles.iter().all(|tile| positions(*tile).count() <= 128), "{rectangle:?}");
                let inside = tiles.iter().flat_map(|tile| positions(*tile)).filter(|&(i, j)| rectangle.contains(i, j));
                let inside: Vec<(u32, u32)> = inside.collect();
                assert_eq!(inside.len() as u64, rectangle.lanes(), "{rectangle:?}");
                assert_eq!(inside.iter().collect::<BTreeSet<_>>().len(), inside.len(), "{rectangle:?}");
                assert!(
                    tiles.len() as u64 * 128 < 4 * rectangle.lanes().max(128),
                    "{rectangle:?}: {} tiles",
                    tiles.len()
                );
            }
        }
        assert!(tiles(Domain { i0: 1, j0: 0, i1: 61, j1: 99 }, 128).is_none());
    }
}
