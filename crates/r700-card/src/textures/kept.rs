//! Decoded textures that are kept between draws.
//!
//! What the card has written to since is decoded again. What programs may have written to, as another submission began, is compared with the bytes
//! that were there before, and only what lies in other bytes is decoded again.

use super::source::{Changes, Pieces, TextureSource};
use super::{Encoded, Shape, TextureError};
use crate::resources::{TextureResource, WORDS};
use ctm_card::Object;
use ctm_memory::{Arena, BASE_ALIGNMENT};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are kept at most, those of the last texture aside.
const LIMIT: u64 = 1 << 28;
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
    /// How often it became doubtful whether a texture is current.
    doubts: u64,
}

#[derive(Debug)]
struct KeptTexture {
    key: Key,
    shape: Shape,
    vectors: Arc<Arena>,
    sources: Vec<TextureSource>,
    doubt: Doubt,
    /// When it was asked for.
    time: u64,
}

/// Why what a texture was decoded from may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    /// It has not.
    Nothing,
    /// The card wrote to it, or near it.
    Card,
    /// A program may have written to it.
    Program,
}

/// What a texture is decoded by.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    words: [u32; WORDS],
    /// Samples get nothing but the first number of texels.
    first: bool,
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
        let first = TextureResource::read(&words).selects.iter().all(|select| !matches!(select, 1..=3));
        let key = Key { words: [w0, w1, 0, 0, w4 & !SELECTS, w5, 0], first, places };
        kept.time += 1;
        let time = kept.time;
        let at = kept.textures.iter().position(|texture| texture.key == key);
        if let Some(texture) = at.and_then(|at| kept.textures.get_mut(at))
            && texture.is_current(memory)
        {
            texture.time = time;
            return Ok((texture.shape.clone(), Arc::clone(&texture.vectors)));
        }
        if let Some(at) = at {
            kept.remove(at);
        }
        let encoded = key.encoded()?;
        let bytes = encoded.bytes().next_multiple_of(BASE_ALIGNMENT.into()).max(BASE_ALIGNMENT.into());
        let mut vectors = Arena::new(BASE_ALIGNMENT, bytes as u32).map_err(|_| TextureError::Memory)?;
        let sources = encoded.sources(places);
        let all: Vec<_> = sources.iter().map(|_| Changes::All).collect();
        encoded.decode(memory, &sources, &all, vectors.words_mut().ok_or(TextureError::Memory)?);
        let (shape, vectors) = (encoded.shape, Arc::new(vectors));
        let kept_shape = shape.clone();
        kept.make_place(bytes);
        let texture =
            KeptTexture { key, shape: kept_shape, vectors: Arc::clone(&vectors), sources, doubt: Doubt::Nothing, time };
        kept.bytes += texture.bytes();
        kept.textures.push(texture);
        Ok((shape, vectors))
    }

    /// The card wrote to these addresses of its memory, or to some of them.
    pub fn written(&self, addresses: Range<u64>) {
        self.doubt(Doubt::Card, addresses);
    }

    /// Programs may have written to these addresses.
    pub fn touched(&self, addresses: Range<u64>) {
        self.doubt(Doubt::Program, addresses);
    }

    fn doubt(&self, doubt: Doubt, addresses: Range<u64>) {
        let kept = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for texture in kept.textures.iter_mut().filter(|texture| texture.doubt < doubt) {
            if texture.sources.iter().any(|source| source.overlaps(&addresses)) {
                texture.doubt = doubt;
                kept.doubts += 1;
            }
        }
    }

    /// How often it became doubtful whether a texture is current: while it is the same number, all are what they were.
    pub fn doubts(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).doubts
    }
}

impl Key {
    fn encoded(&self) -> Result<Encoded, TextureError> {
        Encoded::of(&TextureResource::read(&self.words), self.first).map_err(TextureError::Unknown)
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
        let sources: u64 = self.sources.iter().map(TextureSource::size).sum();
        u64::from(self.vectors.size()) + sources
    }

    /// Decodes what has changed since; false if that cannot be done, as a draw has the vectors still.
    fn is_current(&mut self, memory: &Arena) -> bool {
        let changes = |source: &mut TextureSource| match self.doubt {
            Doubt::Nothing => Changes::Pieces(Pieces::default()),
            Doubt::Card => {
                source.forget();
                Changes::All
            }
            Doubt::Program => source.update(memory),
        };
        let changes: Vec<_> = self.sources.iter_mut().map(changes).collect();
        if !changes.iter().all(Changes::are_none) {
            let vectors = Arc::get_mut(&mut self.vectors).and_then(Arena::words_mut);
            let (Some(vectors), Ok(encoded)) = (vectors, self.key.encoded()) else { return false };
            encoded.decode(memory, &self.sources, &changes, vectors);
        }
        self.doubt = Doubt::Nothing;
        true
    }
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
        // The format has red alone, and alpha is 1.
        let value = |byte: u8| u32::from_le_bytes([byte, 0, 0, 255]);
        memory.write_u8(0x1_1000, 10);
        let (found, place) = get();
        assert_eq!(found, value(10));
        memory.write_u8(0x1_1000, 20);
        assert_eq!(get(), (found, place), "nobody said that it was written to");
        textures.written(0x1_2000..0x1_3000);
        assert_eq!(get(), (found, place), "something else was");
        textures.written(0x1_0000..0x1_1001);
        assert_eq!(get(), (value(20), place), "decoded where it was");
        for byte in [20, 21, 21, 22] {
            memory.write_u8(0x1_1000, byte);
            textures.touched(0..u64::MAX);
            assert_eq!(get(), (value(byte), place), "compared, and decoded where it was");
        }
        let mut others = WORDS_OF_A_TEXTURE;
        others[4] ^= 7 << 16;
        assert_eq!(first(&textures, &memory, others, 0x1_1000), (value(22), place), "selectors are applied elsewhere");
        assert_ne!(first(&textures, &memory, WORDS_OF_A_TEXTURE, 0x1_2000).1, place);
    }

    #[test]
    fn what_a_draw_has_stays() {
        let memory = Arena::new(0x1_0000, 0x4000).unwrap();
        let textures = Textures::default();
        let object = Object { address: 0x1_1000, size: 0x1000 };
        let get = || textures.get(&memory, WORDS_OF_A_TEXTURE, [(object, 0); 2]).unwrap().1;
        let of_a_draw = get();
        memory.write_u8(0x1_1000, 255);
        textures.touched(0..u64::MAX);
        let first = |vectors: &Arena| vectors.read_u32(vectors.base());
        assert_eq!((first(&get()), first(&of_a_draw)), (Some(0xFF00_00FF), Some(0xFF00_0000)));
    }

    /// Textures in all orders, of elements of all sizes, samples and blocks, some of whose bytes change: as if decoded anew.
    #[test]
    fn what_changes_is_decoded_again() {
        let memory = Arena::new(0x1_0000, 0x8_0000).unwrap();
        let object = Object { address: 0x1_0000, size: 0x7_F00D };
        let mut random = 1_u32;
        let mut next = || {
            random = random.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
            random >> 8
        };
        for address in (0x1_0000..0x9_0000).step_by(4) {
            memory.write_u32(address, next());
        }
        // Bytes, halves, words, pairs, vectors; compressed blocks of 8 and 16 bytes.
        for (format, order) in
            [0x01, 0x05, 0x1A, 0x1F, 0x23, 0x31, 0x33].into_iter().flat_map(|f| [1, 2, 4].map(|o| (f, o)))
        {
            for (dimensions, levels) in [(1, 5), (5, 2), (6, 1), (6, 3)] {
                let is_block = format >= 0x31;
                if dimensions == 6 && (is_block || order != 4) {
                    continue;
                }
                let mut words = WORDS_OF_A_TEXTURE;
                words[0] = dimensions | order << 3 | 31 << 8 | 44 << 19;
                words[1] = 29 | 1 << 13 | format << 26;
                words[5] = levels | u32::from(dimensions == 5) << 17;
                let textures = Textures::default();
                let places = [(object, 0x100), (object, 0x4_0000)];
                let get = |textures: &Textures| textures.get(&memory, words, places).unwrap().1;
                let place = get(&textures).as_ptr();
                for (changes, by_card) in [(1, false), (3, false), (100, true), (100, false), (3, false)] {
                    (0..changes).for_each(|_| {
                        memory.write_u8(0x1_0000 + next() % 0x8_0000, next() as u8);
                    });
                    match by_card {
                        true => textures.written(0..u64::MAX),
                        false => textures.touched(0..u64::MAX),
                    }
                    let found = get(&textures);
                    assert_eq!(found.as_ptr(), place);
                    let [found, expected] = [found, get(&Textures::default())].map(|vectors| {
                        let mut words = vec![0; vectors.size() as usize / 4];
                        vectors.read_words(vectors.base(), &mut words);
                        words
                    });
                    let other = found.iter().zip(&expected).position(|(found, expected)| found != expected);
                    assert_eq!(other, None, "format {format:#x}, order {order}, dimensions {dimensions}");
                }
            }
        }
    }

    #[test]
    fn what_is_kept_has_a_limit() {
        let memory = Arena::new(0x1_0000, 0x100_0000).unwrap();
        let textures = Textures::default();
        // 2048 x 2048 texels of a byte with a sign: 64 MiB of vectors each.
        let mut words = WORDS_OF_A_TEXTURE;
        (words[0], words[1], words[4]) = (1 << 3 | 1 | 255 << 8 | 2047 << 19, 2047 | 1 << 26, words[4] | 0x55);
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
