//! Textures that are kept between draws, so that machine code finds their texels decoded as long as these stay what they are.

use super::header::{SamplerHeader, TextureHeader, WORDS};
use super::texture;
use crate::objects::Objects;
use ctm_memory::Arena;
use ctm_sm50::textures::SharedTexture;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are kept at most, those of the last texture aside.
const LIMIT: u64 = 1 << 28;
/// Words that are compared at a time.
const PIECE: usize = 1 << 12;

/// Textures, shared by all who have a copy.
#[derive(Clone, Debug, Default)]
pub struct TextureCache(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    textures: Vec<KeptTexture>,
    /// How often a texture was asked for.
    time: u64,
}

#[derive(Debug)]
struct KeptTexture {
    key: Key,
    /// What it is; nothing if the header names none.
    texture: Option<SharedTexture>,
    /// The words of its texels, as they were.
    source: Vec<u32>,
    /// When it was asked for.
    time: u64,
    /// Its texels may have changed since.
    is_doubtful: bool,
}

/// What a texture is made by.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    texture: [u32; WORDS],
    sampler: [u32; WORDS],
    /// The bytes that it is made of.
    bytes: Range<u64>,
}

impl TextureCache {
    /// The texture of a header, with the sampler of another one. Its texels are those that are in memory now.
    pub fn get(&self, objects: &Objects, header: &[u32; WORDS], sampler: &[u32; WORDS]) -> Option<SharedTexture> {
        let (texture_header, sampler_header) = (TextureHeader::read(header), SamplerHeader::read(sampler));
        let bytes = source(objects, &texture_header);
        let key = Key { texture: *header, sampler: *sampler, bytes };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.time += 1;
        let time = kept.time;
        let at = kept.textures.iter().position(|texture| texture.key == key);
        if let Some(known) = at.and_then(|at| kept.textures.get_mut(at))
            && (!known.is_doubtful || is_same(objects.memory(), &known.key.bytes, &known.source))
        {
            (known.time, known.is_doubtful) = (time, false);
            return known.texture.clone();
        }
        // Its memory is that of the next one.
        let source = at.map(|at| kept.textures.swap_remove(at).source).unwrap_or_default();
        let made = texture(objects, &texture_header, &sampler_header).map(SharedTexture::new);
        let source = words(objects.memory(), &key.bytes, source);
        kept.make_place(4 * source.len() as u64);
        kept.textures.push(KeptTexture { key, texture: made.clone(), source, time, is_doubtful: false });
        made
    }

    /// These addresses may have been written to.
    pub fn written(&self, addresses: Range<u64>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for texture in &mut kept.textures {
            let bytes = &texture.key.bytes;
            texture.is_doubtful |= bytes.start < addresses.end && addresses.start < bytes.end;
        }
    }
}

impl Kept {
    /// Drops what was not asked for for the longest time, until there is a place for so many bytes.
    fn make_place(&mut self, bytes: u64) {
        let mut all: u64 = self.textures.iter().map(KeptTexture::bytes).sum();
        while all + bytes > LIMIT {
            let oldest = self.textures.iter().enumerate().min_by_key(|(_, texture)| texture.time).map(|(at, _)| at);
            let Some(oldest) = oldest else { return };
            all -= self.textures.swap_remove(oldest).bytes();
        }
    }
}

impl KeptTexture {
    fn bytes(&self) -> u64 {
        4 * self.source.len() as u64 + self.texture.as_ref().map_or(0, SharedTexture::bytes)
    }
}

/// The bytes that the texels of a texture may be in.
fn source(objects: &Objects, header: &TextureHeader) -> Range<u64> {
    let address = header.address();
    let Some(object) = objects.range(address) else { return 0..0 };
    let size = super::source_bytes(header).unwrap_or(u64::MAX);
    (address & !3)..object.end.min(address.saturating_add(size))
}

/// The words of a range of memory.
fn words(memory: &Arena, bytes: &Range<u64>, mut words: Vec<u32>) -> Vec<u32> {
    words.resize((bytes.end - bytes.start) as usize / 4, 0);
    memory.read_words(bytes.start as u32, &mut words);
    words
}

/// Whether memory holds these words there.
fn is_same(memory: &Arena, bytes: &Range<u64>, known: &[u32]) -> bool {
    let mut piece = [0; PIECE];
    known.chunks(PIECE).zip((bytes.start..).step_by(4 * PIECE)).all(|(known, address)| {
        let found = &mut piece[..known.len()];
        memory.read_words(address as u32, found) && found == known
    })
}
