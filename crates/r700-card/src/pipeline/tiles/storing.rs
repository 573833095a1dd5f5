//! What becomes of what the program exports for the quads of a launch.

use super::quad_masks::{LateTests, block_quads, exported_of};
use super::surfaces::{Block, Chunk, SurfaceBlocks, SurfaceQuads};
use super::worker::{Shared, get_eight, place, vectors};
use crate::pipeline::stage::Regions;
use crate::pipeline::targets::ColourTarget;
use ctm_memory::{Access, RowWords, Words};
use ctm_r700::Region;
use ctm_raster::float_bytes::FloatBytes;
use ctm_raster::simd::{Simd, SimdTask};

/// A target, with where the program leaves its colours.
pub struct Destination<'t, 'a> {
    target: &'t ColourTarget<'a>,
    surface_quads: &'t SurfaceQuads<'t>,
    blocks: Option<SurfaceBlocks<'t>>,
    colour: Option<Words<'t>>,
    second: Option<Option<Words<'t>>>,
    way: StoreMethod,
    /// Vectors of a row.
    columns: usize,
}

/// How colours are stored.
enum StoreMethod {
    /// For eight pixels at a time.
    Bytes(FloatBytes),
    /// As they are.
    Vectors,
    General,
}

impl<'t, 'a> Destination<'t, 'a> {
    /// Those of a launch, whose colours lie in rows of so many vectors.
    pub fn all(shared: &'t Shared<'t, 'a>, regions: &Regions, columns: usize) -> Vec<Self> {
        let words = |region: Option<Region>| region.and_then(|region| vectors(shared.arena, region));
        let output = |number: usize| words(regions.output(number));
        let targets = shared.stage.targets.iter().zip(shared.targets).map(|(target, surface_quads)| {
            let colour = output(target.output);
            let way = match (target.bytes(), target.stores_vectors() && colour.is_some()) {
                (_, true) => StoreMethod::Vectors,
                (Some(bytes), _) => StoreMethod::Bytes(bytes),
                (None, _) => StoreMethod::General,
            };
            Destination {
                target,
                surface_quads,
                blocks: surface_quads.blocks(),
                colour,
                second: target.second.map(output),
                way,
                columns,
            }
        });
        targets.collect()
    }

    /// Stores the colours of pixels of a block, of which this is the first quad.
    #[inline(always)]
    pub fn write(
        &self,
        simd: impl Simd,
        (block, drawn): (&Block, [u8; 2]),
        layer: u32,
        first: usize,
        access: impl Access,
    ) {
        let done = match &self.way {
            StoreMethod::Bytes(bytes) => self.write_bytes(simd, bytes, (block, drawn), layer, first, access),
            StoreMethod::Vectors => self.write_vectors((block, drawn), layer, first),
            StoreMethod::General => false,
        };
        if !done {
            self.write_quads((block, drawn), layer, first);
        }
    }

    #[inline(always)]
    fn write_bytes<S: Simd>(
        &self,
        simd: S,
        bytes: &FloatBytes,
        (block, drawn): (&Block, [u8; 2]),
        layer: u32,
        first: usize,
        access: impl Access,
    ) -> bool {
        let rows = match &self.blocks {
            Some(blocks) => blocks.rows(block),
            None => self.surface_quads.rows((block.x, block.y), layer),
        };
        let Some([upper, lower]) = rows else { return false };
        // Colours begin with the first quad of the block that is drawn.
        let quads = 0xFF << (2 * block.first());
        let lanes = [simd.pack(quads), simd.spread(quads)];
        self.write_row(simd, bytes, upper, lanes, drawn[0], 2 * first, access);
        self.write_row(simd, bytes, lower, lanes, drawn[1], 2 * first + self.columns, access);
        true
    }

    /// Stores the colours of pixels of a row, of which the first vector is this one: after `packed` lanes, which are spread again.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "all of them differ from row to row, or are types of vectors")]
    fn write_row<S: Simd>(
        &self,
        simd: S,
        bytes: &FloatBytes,
        row: impl RowWords,
        [packed, spread]: [S::Lanes; 2],
        drawn: u8,
        first: usize,
        access: impl Access,
    ) {
        if drawn == 0 {
            return;
        }
        let colours = match &self.colour {
            Some(words) => simd.components(&get_eight(words, first, access)),
            None => [simd.splat(0); 4],
        };
        let memory = simd.words(&row.get(access));
        let new = bytes.write(simd, colours, simd.permuted(memory, packed), simd.splat(u32::MAX));
        let changed = simd.and(simd.xor(memory, simd.permuted(new, spread)), simd.chosen(drawn));
        row.set(simd.array(simd.xor(memory, changed)), access);
    }

    fn write_vectors(&self, (block, drawn): (&Block, [u8; 2]), layer: u32, first: usize) -> bool {
        let Some(words) = self.colour else { return false };
        let surface_quads = block_quads(block, drawn, |corner| self.surface_quads.place(corner, layer));
        surface_quads.iter().enumerate().take(block.len()).all(|(n, &(at, mask))| {
            let vector =
                |pixel| words.four(4 * place(first + n, pixel, self.columns)).map_or([0; 4], |four| four.get());
            mask == 0 || self.surface_quads.write_vectors(at, mask, vector)
        })
    }

    fn write_quads(&self, (block, drawn): (&Block, [u8; 2]), layer: u32, first: usize) {
        pulp::Arch::new().dispatch(WritingQuads { destination: self, block, drawn, layer, first });
    }
}

/// A block that is written quad by quad.
struct WritingQuads<'w, 't, 'a> {
    destination: &'w Destination<'t, 'a>,
    block: &'w Block,
    drawn: [u8; 2],
    layer: u32,
    first: usize,
}

impl pulp::NullaryFnOnce for WritingQuads<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let WritingQuads { destination, block, drawn, layer, first } = self;
        let Destination { target, surface_quads, columns, .. } = destination;
        let written = block_quads(block, drawn, |corner| surface_quads.place(corner, layer));
        let colour = exported_of(destination.colour, block, first, *columns);
        let second = destination.second.map(|second| exported_of(second, block, first, *columns));
        target.write_quads(surface_quads, &written[..block.len()], &colour, second.as_ref());
    }
}

/// It is tested and stored: a task that is faster on hosts with wide vectors.
pub struct Storing<'t, 'd, 'a> {
    pub shared: &'t Shared<'d, 'a>,
    pub regions: &'t Regions,
    pub chunk: Chunk<'t>,
    /// Pixels that passed tests which come after the program.
    pub passed: &'t mut u64,
}

impl SimdTask for Storing<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Storing { shared, regions, chunk, passed } = self;
        let access = simd.access();
        let late = match shared.stage.rules.early {
            true => None,
            false => Some(pulp::Arch::new().dispatch(LateTesting { shared, regions, chunk, passed })),
        };
        for destination in &Destination::all(shared, regions, regions.columns) {
            for (n, (first, block)) in chunk.places_from(0).enumerate() {
                let drawn = match &late {
                    Some(late) => late[n],
                    None => block.drawn,
                };
                if drawn == [0; 2] {
                    continue;
                }
                let Some(primitive) = shared.primitive(block) else { continue };
                destination.write(simd, (block, drawn), primitive.layer, first, access);
            }
        }
    }
}

/// Which pixels of blocks pass tests after the program.
struct LateTesting<'w, 'd, 'a> {
    shared: &'w Shared<'d, 'a>,
    regions: &'w Regions,
    chunk: Chunk<'w>,
    passed: &'w mut u64,
}

impl pulp::NullaryFnOnce for LateTesting<'_, '_, '_> {
    type Output = Vec<[u8; 2]>;

    #[inline(always)]
    fn call(self) -> Vec<[u8; 2]> {
        let LateTesting { shared, regions, chunk, passed } = self;
        let columns = 2 * chunk.count;
        let valid = regions.valid.map(|region| {
            let mut words = vec![0; 2 * columns];
            shared.arena.read_words(region.base, &mut words);
            (words, columns)
        });
        let words = |region: Option<Region>| region.and_then(|region| vectors(shared.arena, region));
        let (first_colour, depths) = (words(regions.output(0)), words(regions.depth));
        let tests = LateTests { shared, regions, valid, first_colour, depths };
        let mut left = Vec::with_capacity(chunk.blocks.len());
        for (first, block) in chunk.places_from(0) {
            let drawn = tests.passed(block, first);
            *passed += u64::from(u16::from_le_bytes(drawn).count_ones());
            left.push(drawn);
        }
        left
    }
}
