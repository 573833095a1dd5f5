//! Decoded textures that are kept between draws.
//!
//! Each is kept with the bytes that it was decoded from. Where these may have changed, since a draw or a packet wrote to them, or another
//! submission began, they are compared with what memory holds, and only other bytes are decoded again.

use super::{Encoded, Shape, Source, TextureError, VECTOR_BYTES};
use crate::resources::{TextureResource, WORDS};
use ctm_card::Object;
use ctm_memory::{Arena, BASE_ALIGNMENT};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are kept at most, those of the last texture aside.
const LIMIT: u64 = 1 << 28;
/// Bytes that are compared at once.
const CHUNK: usize = 1 << 14;
/// Bits of word 4 that say what samples get of texels, and not what texels are.
const SELECTS: u32 = 0x0FFF_0000;

/// Textures.
#[derive(Debug, Default)]
pub struct Textures(Mutex<Kept>);

impl Clone for Textures {
    /// What is kept can be decoded again.
    fn clone(&self) -> Self {
        Textures::default()
    }
}

#[derive(Debug, Default)]
struct Kept {
    textures: Vec<KeptTexture>,
    bytes: u64,
    /// How often a texture was asked for.
    time: u64,
}

#[derive(Debug)]
struct KeptTexture {
    key: Key,
    shape: Shape,
    vectors: Arc<Arena>,
    sources: Vec<Source>,
    /// What it was decoded from may have changed.
    doubtful: bool,
    /// When it was asked for.
    time: u64,
}

/// What a texture is decoded by.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    words: [u32; WORDS],
    places: [(Object, u64); 2],
}

impl Textures {
    /// The vectors of a texture with these words, whose first level, and whose others, are at these places of objects, in bytes.
    ///
    /// # Errors
    /// What of it is not known, or the host has no memory.
    pub fn get(
        &self,
        memory: &Arena,
        words: [u32; WORDS],
        places: [(Object, u64); 2],
    ) -> Result<(Shape, Arc<Arena>), TextureError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [w0, w1, _, _, w4, w5, _] = words;
        let key = Key { words: [w0, w1, 0, 0, w4 & !SELECTS, w5, 0], places };
        kept.time += 1;
        let time = kept.time;
        if let Some(at) = kept.textures.iter().position(|texture| texture.key == key) {
            let texture = &mut kept.textures[at];
            if !texture.doubtful || texture.sources.iter().all(|source| is_unchanged(memory, source)) {
                (texture.doubtful, texture.time) = (false, time);
                return Ok((texture.shape.clone(), Arc::clone(&texture.vectors)));
            }
            kept.remove(at);
        }
        let encoded = Encoded::of(&TextureResource::read(&words)).map_err(TextureError::Unknown)?;
        let bytes = (encoded.vectors * VECTOR_BYTES).next_multiple_of(BASE_ALIGNMENT.into()).max(BASE_ALIGNMENT.into());
        let mut vectors = Arena::new(BASE_ALIGNMENT, bytes as u32).map_err(|_| TextureError::Memory)?;
        let sources = encoded.sources(memory, places);
        encoded.decode(&sources, vectors.words_mut().ok_or(TextureError::Memory)?);
        let (shape, vectors) = (encoded.shape, Arc::new(vectors));
        let kept_shape = shape.clone();
        kept.make_place(bytes);
        let texture =
            KeptTexture { key, shape: kept_shape, vectors: Arc::clone(&vectors), sources, doubtful: false, time };
        kept.bytes += texture.bytes();
        kept.textures.push(texture);
        Ok((shape, vectors))
    }

    /// These addresses of the card's memory may have been written to.
    pub fn written(&self, addresses: Range<u64>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for texture in kept.textures.iter_mut().filter(|texture| !texture.doubtful) {
            let overlaps = |source: &Source| {
                let begin = u64::from(source.address);
                begin < addresses.end && addresses.start < begin + source.bytes.len() as u64
            };
            texture.doubtful = texture.sources.iter().any(overlaps);
        }
    }
}

impl Kept {
    fn remove(&mut self, at: usize) {
        let texture = self.textures.swap_remove(at);
        self.bytes -= texture.bytes();
    }

    /// Drops what was not asked for for the longest time, until there is a place for so many bytes.
    fn make_place(&mut self, bytes: u64) {
        while self.bytes + bytes > LIMIT {
            let oldest = self.textures.iter().enumerate().min_by_key(|(_, texture)| texture.time).map(|(at, _)| at);
            let Some(oldest) = oldest else { return };
            self.remove(oldest);
        }
    }
}

impl KeptTexture {
    fn bytes(&self) -> u64 {
        let sources: usize = self.sources.iter().map(|source| source.bytes.len()).sum();
        u64::from(self.vectors.size()) + sources as u64
    }
}

/// Whether memory holds what was read from it.
fn is_unchanged(memory: &Arena, source: &Source) -> bool {
    let mut now = [0; CHUNK];
    source.bytes.chunks(CHUNK).enumerate().all(|(number, then)| {
        let now = &mut now[..then.len()];
        memory.read_bytes(source.address.wrapping_add((number * CHUNK) as u32), now) && now == then
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8x8 texels of a byte in rows of 256.
    const WORDS_OF_A_TEXTURE: [u32; WORDS] =
        [1 << 3 | 1 | 31 << 8 | 7 << 19, 7 | 1 << 26, 0, 0, 0x0688_4000, 0, 2 << 30];

    fn first(textures: &Textures, memory: &Arena, words: [u32; WORDS], address: u32) -> (u32, *mut u8) {
        let object = Object { address, size: 0x1000 };
        let (_, vectors) = textures.get(memory, words, [(object, 0); 2]).unwrap();
        (vectors.read_u32(vectors.base()).unwrap(), vectors.as_ptr())
    }

    #[test]
    fn what_may_have_changed_is_compared() {
        let memory = Arena::new(0x1_0000, 0x4000).unwrap();
        let textures = Textures::default();
        let get = || first(&textures, &memory, WORDS_OF_A_TEXTURE, 0x1_1000);
        let value = |byte: u8| (f32::from(byte) / 255.0).to_bits();
        memory.write_u8(0x1_1000, 10);
        let (found, place) = get();
        assert_eq!(found, value(10));
        memory.write_u8(0x1_1000, 20);
        assert_eq!(get(), (found, place), "nobody said that it was written to");
        textures.written(0x1_2000..0x1_3000);
        assert_eq!(get(), (found, place), "something else was");
        textures.written(0x1_0000..0x1_1001);
        assert_eq!(get().0, value(20));
        let (_, place) = get();
        textures.written(0..u64::MAX);
        assert_eq!(get(), (value(20), place), "the same bytes");
        let mut others = WORDS_OF_A_TEXTURE;
        others[4] ^= 7 << 16;
        assert_eq!(first(&textures, &memory, others, 0x1_1000), (value(20), place), "selectors are applied elsewhere");
        assert_ne!(first(&textures, &memory, WORDS_OF_A_TEXTURE, 0x1_2000).1, place);
    }

    #[test]
    fn what_is_kept_has_a_limit() {
        let memory = Arena::new(0x1_0000, 0x100_0000).unwrap();
        let textures = Textures::default();
        // 2048 x 2048 texels of a byte: 64 MiB of vectors each.
        let mut words = WORDS_OF_A_TEXTURE;
        (words[0], words[1]) = (1 << 3 | 1 | 255 << 8 | 2047 << 19, 2047 | 1 << 26);
        let get = |address: u32| {
            let object = Object { address, size: 0x40_0000 };
            textures.get(&memory, words, [(object, 0); 2]).unwrap().1.as_ptr()
        };
        let places = [0, 1, 2].map(|n| get(0x1_0000 + 0x40_0000 * n));
        assert_eq!(get(0x1_0000), places[0]);
        get(0xC1_0000);
        assert_eq!(get(0x1_0000), places[0], "asked for last");
        let kept = textures.0.lock().unwrap();
        assert!(kept.bytes <= LIMIT && kept.textures.len() == 3, "{}", kept.bytes);
    }
}
