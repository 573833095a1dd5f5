//! Memory of one draw: copies of what programs read that is not read where it is, and regions for what they export. Programs write to none
//! of the card's memory. The memory itself outlives draws.

use super::DrawError;
use super::attributes::Gradients;
use crate::layout::{Layout, SurfaceQuads};
use crate::programs::{KeptPrograms, StageProgram};
use crate::registers::RegisterFile;
use ctm_card::Object;
use ctm_engine::UseCounts;
use ctm_memory::{Access, Arena, BASE_ALIGNMENT, Space, Words};
use ctm_pipeline::{PlaceCache, Primitives, TileWorker};
use ctm_r700::{Region, Stage};
use ctm_raster::simd::{Simd, SimdTask, dispatch};
use ctm_raster::tiles::Tiles;
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

/// Bytes at most.
const LIMIT: u64 = 1 << 28;
/// The end of addresses.
const END: u64 = 1 << 32;
/// Bytes at least.
const LEAST: u64 = 1 << 20;
/// Memories that are kept, and bytes of one at most.
const KEPT: usize = 4;
const KEPT_BYTES: u32 = 1 << 26;
/// Lanes of a program from which on preparing it for the engine is worth it.
const MANY: u64 = 2048;
/// Lanes of a program with surfaces of the same sizes from which on preparing it for these is worth it.
const MANY_OF_SIZES: u64 = 1 << 16;

/// Programs of which it is remembered that they do not stop.
const MOST_SAFE: usize = 4096;

/// What outlives draws: memory, programs, and how many lanes these have run for.
pub struct DrawCache {
    memories: RefCell<Vec<SpareMemory>>,
    lanes: RefCell<UseCounts>,
    many: u64,
    programs: RefCell<KeptPrograms>,
    /// Programs that do not stop, by their hashes.
    safe: RefCell<HashSet<u64>>,
    places: RefCell<PlaceCache<Layout>>,
    primitives: RefCell<Primitives<Gradients>>,
    tiles: RefCell<Tiles>,
    workers: RefCell<Vec<TileWorker>>,
}

/// Memory after that of the card, and both as programs see them.
struct SpareMemory {
    card: Arc<Arena>,
    arena: Arc<Arena>,
    space: Space,
}

impl SpareMemory {
    fn new(card: &Arc<Arena>, base: u32, bytes: u64) -> Option<Self> {
        let arena = Arc::new(Arena::new(base, u32::try_from(bytes).ok()?).ok()?);
        let mut space = Space::default();
        space.map(Arc::clone(card)).ok()?;
        space.map(Arc::clone(&arena)).ok()?;
        Some(SpareMemory { card: Arc::clone(card), arena, space })
    }
}

impl Default for DrawCache {
    fn default() -> Self {
        DrawCache {
            memories: RefCell::default(),
            lanes: RefCell::default(),
            many: MANY,
            programs: RefCell::default(),
            safe: RefCell::default(),
            places: RefCell::default(),
            primitives: RefCell::default(),
            tiles: RefCell::default(),
            workers: RefCell::default(),
        }
    }
}

impl DrawCache {
    /// Adds lanes to those of the program with this hash; whether they are now so many that preparing it is worth it.
    pub fn is_worth_it(&self, program: u64, lanes: u64) -> bool {
        self.lanes.borrow_mut().add(program, lanes) >= self.many
    }

    /// The same of the program and the sizes of surfaces with this hash.
    pub fn is_worth_surfaces(&self, program: u64, lanes: u64) -> bool {
        self.lanes.borrow_mut().add(program, lanes) >= MANY_OF_SIZES
    }

    /// Notes that the program with this hash does not stop.
    pub fn note_safe(&self, program: u64) {
        let mut safe = self.safe.borrow_mut();
        if safe.len() >= MOST_SAFE {
            safe.clear();
        }
        safe.insert(program);
    }

    /// Whether that was [noted](Self::note_safe).
    pub fn is_safe(&self, program: u64) -> bool {
        self.safe.borrow().contains(&program)
    }

    /// The program of a stage, if there is one.
    pub fn program(&self, registers: &RegisterFile, stage: Stage, memory: &Arena) -> Option<Arc<StageProgram>> {
        self.programs.borrow_mut().get(registers, stage, memory)
    }

    /// Squares of a surface, with where they lie, if that is known or finding it is `worth` it.
    pub fn with_places<'a>(&self, surface_quads: SurfaceQuads<'a>, worth: bool) -> SurfaceQuads<'a> {
        surface_quads.with_places(&mut self.places.borrow_mut(), worth)
    }

    /// No primitives, in the memory of those that were given back last.
    pub fn take_primitives(&self) -> Primitives<Gradients> {
        self.primitives.take()
    }

    /// Gives memory of primitives back.
    pub fn give_primitives_back(&self, mut primitives: Primitives<Gradients>) {
        primitives.clear();
        self.primitives.replace(primitives);
    }

    /// No tiles, in the memory of those that were given back last.
    pub fn take_tiles(&self) -> Tiles {
        self.tiles.take()
    }

    /// Gives memory of tiles back.
    pub fn give_tiles_back(&self, mut tiles: Tiles) {
        tiles.clear();
        self.tiles.replace(tiles);
    }

    /// What a thread works with.
    pub fn take_tile_worker(&self) -> TileWorker {
        self.workers.borrow_mut().pop().unwrap_or_default()
    }

    /// Gives it back.
    pub fn give_tile_worker_back(&self, worker: TileWorker) {
        self.workers.borrow_mut().push(worker);
    }

    /// Memory of at least so many bytes after that of the card.
    fn take(&self, card: &Arc<Arena>, base: u32, bytes: u64) -> Option<SpareMemory> {
        let mut memories = self.memories.borrow_mut();
        memories.retain(|kept| Arc::ptr_eq(&kept.card, card));
        let fits = memories.iter().position(|kept| u64::from(kept.arena.size()) >= bytes);
        fits.map(|place| memories.swap_remove(place))
            .or_else(|| SpareMemory::new(card, base, bytes.next_power_of_two().max(LEAST)))
    }

    fn give_back(&self, kept: SpareMemory) {
        let mut memories = self.memories.borrow_mut();
        if kept.arena.size() <= KEPT_BYTES {
            if memories.len() == KEPT {
                memories.remove(0);
            }
            memories.push(kept);
        }
    }
}

/// Memory that is being laid out.
pub struct DrawMemoryBuilder<'s> {
    cache: &'s DrawCache,
    card: &'s Arc<Arena>,
    /// Where it begins: after the card's.
    base: u64,
    pieces: Vec<(Region, Vec<u8>)>,
    bytes: u64,
    /// Memory that other draws have as well.
    shared: Vec<Arena>,
    shared_bytes: u64,
}

impl<'s> DrawMemoryBuilder<'s> {
    /// After the card's memory.
    pub fn new(cache: &'s DrawCache, card: &'s Arc<Arena>) -> Self {
        let base = u64::from(card.base()) + u64::from(card.size());
        DrawMemoryBuilder { cache, card, base, pieces: Vec::new(), bytes: 0, shared: Vec::new(), shared_bytes: 0 }
    }

    /// How much is laid out: bytes, and memory that other draws have as well.
    pub fn laid_out(&self) -> (u64, usize) {
        (self.bytes, self.shared.len())
    }

    /// Whether it has copies of memory.
    pub fn has_copies(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// A region of so many bytes, of which nothing is known.
    pub fn reserve(&mut self, bytes: u64) -> Result<Region, DrawError> {
        let start = self.base + self.bytes;
        self.bytes = self.bytes.saturating_add(bytes.next_multiple_of(BASE_ALIGNMENT.into()));
        match (u32::try_from(start), u32::try_from(bytes)) {
            (Ok(base), Ok(length)) if self.bytes <= LIMIT => Ok(Region { base, length }),
            _ => Err(DrawError::Memory),
        }
    }

    /// A region with these bytes.
    pub fn with(&mut self, bytes: Vec<u8>) -> Result<Region, DrawError> {
        let region = self.reserve(bytes.len() as u64)?;
        self.pieces.push((region, bytes));
        Ok(region)
    }

    /// A region that is this memory, which is not written to.
    pub fn share(&mut self, memory: &Arena) -> Result<Region, DrawError> {
        let known = self.shared.iter().find(|shared| shared.as_ptr() == memory.as_ptr());
        if let Some(shared) = known {
            return Ok(Region { base: shared.base(), length: shared.size() });
        }
        let (base, length) = (self.base + LIMIT + self.shared_bytes, memory.size());
        if base + u64::from(length) > END {
            return Err(DrawError::Memory);
        }
        self.shared.push(memory.at(base as u32).map_err(|_| DrawError::Memory)?);
        self.shared_bytes += u64::from(length);
        Ok(Region { base: base as u32, length })
    }

    /// The part of an object from `offset` on, of at most so many bytes: not copied.
    pub fn part(object: Object, offset: u64, bytes: u64) -> Region {
        let length = u64::from(object.size).saturating_sub(offset).min(bytes);
        match (u32::try_from(offset), u32::try_from(length)) {
            (Ok(offset), Ok(length)) if length > 0 => Region { base: object.address.wrapping_add(offset), length },
            _ => Region { base: 0, length: 0 },
        }
    }

    /// The memory.
    pub fn make(self) -> Result<DrawMemory<'s>, DrawError> {
        let base = u32::try_from(self.base).map_err(|_| DrawError::Memory)?;
        let bytes = self.bytes.max(BASE_ALIGNMENT.into());
        let kept = self.cache.take(self.card, base, bytes).ok_or(DrawError::Memory)?;
        for (region, bytes) in &self.pieces {
            kept.arena.write_bytes(region.base, bytes);
        }
        let mut space = kept.space.clone();
        // Their addresses are their own.
        for part in self.shared {
            _ = space.map(part);
        }
        Ok(DrawMemory { cache: self.cache, kept: Some(kept), space })
    }
}

/// Vectors that are copied: a task that is faster on hosts with wide vectors.
struct AddingVectors<'m, 'v> {
    /// None if they are not there: then they are 0.
    from: Option<Words<'m>>,
    count: usize,
    vectors: &'v mut Vec<[u32; 4]>,
}

impl SimdTask for AddingVectors<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let AddingVectors { from, count, vectors } = self;
        let access = simd.access();
        let before = vectors.len();
        vectors.resize(before + count, [0; 4]);
        for (number, vector) in vectors[before..].iter_mut().enumerate() {
            if let Some(words) = from.and_then(|words| words.four(4 * number)) {
                *vector = access.get(words);
            }
        }
    }
}

/// The memory of a draw.
pub struct DrawMemory<'s> {
    cache: &'s DrawCache,
    /// There until it is dropped.
    kept: Option<SpareMemory>,
    space: Space,
}

impl Drop for DrawMemory<'_> {
    fn drop(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.cache.give_back(kept);
        }
    }
}

impl DrawMemory<'_> {
    /// It, the card's memory, and what other draws have as well, for programs.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Its own memory.
    pub fn arena(&self) -> &Arena {
        &self.kept.as_ref().expect("it is given back when the workspace is dropped").arena
    }

    /// The vector with this number from a place on.
    pub fn vector(&self, region: Region, number: usize) -> [u32; 4] {
        let mut vector = [[0; 4]];
        self.vectors(region, number, &mut vector);
        vector[0]
    }

    /// Vectors, from the one with this number of a region on.
    pub fn vectors(&self, region: Region, first: usize, vectors: &mut [[u32; 4]]) {
        self.arena().read_words(region.base.wrapping_add(16 * first as u32), vectors.as_flattened_mut());
    }

    /// Adds the first so many vectors of a region.
    pub fn add_vectors(&self, region: Region, count: usize, vectors: &mut Vec<[u32; 4]>) {
        let from = self.arena().shared_words(region.base, 4 * count);
        dispatch(AddingVectors { from, count, vectors });
    }

    /// The first so many dwords of a region.
    pub fn words(&self, region: Region, count: usize) -> Vec<u32> {
        let mut words = vec![0; count];
        self.arena().read_words(region.base, &mut words);
        words
    }

    /// Sets so many dwords of a region, from this one on.
    pub fn fill_part(&self, region: Region, first: usize, count: usize, word: u32) {
        self.arena().fill_words(region.base.wrapping_add(4 * first as u32), count, word, u32::MAX);
    }

    /// Sets vectors, from one of a region on.
    pub fn set(&self, region: Region, first: usize, vectors: &[[u32; 4]]) {
        self.arena().write_words(region.base.wrapping_add(16 * first as u32), vectors.as_flattened());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        let (cache, card) = (DrawCache::default(), Arc::new(Arena::new(0x1000, 0x4000).unwrap()));
        let place = |fill: u32| {
            let mut builder = DrawMemoryBuilder::new(&cache, &card);
            let dirty = builder.reserve(100).unwrap();
            let copied = builder.with(vec![1, 2, 3, 4]).unwrap();
            let draw_memory = builder.make().unwrap();
            assert_eq!(draw_memory.words(copied, 1), [0x0403_0201]);
            let before = draw_memory.words(dirty, 4)[3];
            draw_memory.fill_part(dirty, 0, 25, fill);
            assert!(draw_memory.space().arena_of(0x1000, 4).is_some());
            (dirty.base, before)
        };
        assert_eq!((place(7), place(8), place(9)), ((0x5000, 0), (0x5000, 7), (0x5000, 8)));
        let mut builder = DrawMemoryBuilder::new(&cache, &card);
        assert!(builder.reserve(LIMIT).is_ok() && builder.reserve(1).is_err());
        let high = Arc::new(Arena::new(0xFFFF_F000, 0x1000).unwrap());
        assert!(DrawMemoryBuilder::new(&cache, &high).reserve(4).is_err(), "there are no addresses after it");
    }

    #[test]
    fn programs_of_many_lanes_are_worth_it() {
        let cache = DrawCache::default();
        assert!(!cache.is_worth_it(1, MANY - 1) && !cache.is_worth_it(2, 5) && cache.is_worth_it(1, 1));
    }

    #[test]
    fn parts_end_with_their_object() {
        let object = Object { address: 0x2000, size: 0x100 };
        let part = |offset, bytes| {
            (DrawMemoryBuilder::part(object, offset, bytes).base, DrawMemoryBuilder::part(object, offset, bytes).length)
        };
        assert_eq!(part(0x40, 0x1000), (0x2040, 0xC0));
        assert_eq!((part(0, 16), part(0x100, 16), part(1 << 40, 16)), ((0x2000, 16), (0, 0), (0, 0)));
    }
}
