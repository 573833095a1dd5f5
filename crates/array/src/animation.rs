//! Pictures that follow each other, in one file: APNG.

use super::png::Pixels;
use super::{Array, ContentError, Shape, WriteOptions};

/// The frames of an animation, which have one shape and one type of values.
#[derive(Debug)]
pub struct Animation {
    options: WriteOptions,
    /// That of each frame.
    shape: Option<Shape>,
    frames: u32,
    /// One frame after the other.
    pixels: Option<Pixels>,
}

impl Animation {
    /// One without frames. `options` say how values become pictures.
    pub fn new(options: WriteOptions) -> Self {
        Animation { options, shape: None, frames: 0, pixels: None }
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// A picture cannot have so many channels, or the frame is not like those before.
    pub fn push(&mut self, frame: &Array) -> Result<(), ContentError> {
        let shape = *self.shape.get_or_insert(frame.shape);
        if shape != frame.shape {
            return Err(ContentError::OtherShape { given: shape, found: frame.shape });
        }
        match (&mut self.pixels, Pixels::of(frame, self.options.tonemap)?) {
            (Some(Pixels::Eight(all)), Pixels::Eight(more)) => all.extend(more),
            (Some(Pixels::Sixteen(all)), Pixels::Sixteen(more)) => all.extend(more),
            (none @ None, first) => *none = Some(first),
            (Some(_), _) => {
                return Err(ContentError::Png { cause: "its frames have values of different types".into() });
            }
        }
        self.frames += 1;
        Ok(())
    }

    /// The bytes of a PNG file that shows so many frames per second, without end. Programs that know no animations show the
    /// first frame.
    ///
    /// # Errors
    /// There is no frame, or they are too large.
    pub fn encode(&self, frames_per_second: u16) -> Result<Vec<u8>, ContentError> {
        let (Some(pixels), Some(shape)) = (&self.pixels, self.shape) else {
            return Err(ContentError::Png { cause: "an animation has at least one frame".into() });
        };
        pixels.encode(shape, |encoder| {
            encoder.set_animated(self.frames, 0)?;
            encoder.set_frame_delay(1, frames_per_second.max(1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Data, read_png};
    use std::io::Cursor;

    fn frame(values: &[u8], channels: usize) -> Array {
        let shape = Shape { width: values.len() / channels, height: 1, channels };
        Array { shape, data: Data::U8(values.to_vec()) }
    }

    /// The delay of the first frame, and the bytes of all frames, as the library decodes them.
    fn decoded(file: &[u8]) -> ((u16, u16), Vec<Vec<u8>>) {
        let mut reader = ::png::Decoder::new(Cursor::new(file)).read_info().expect("a picture");
        let frames = reader.info().animation_control.expect("an animation").num_frames;
        let size = reader.output_buffer_size().expect("a size");
        let mut all = Vec::new();
        let mut delay = (0, 0);
        for _ in 0..frames {
            let mut bytes = vec![0; size];
            let frame = reader.next_frame(&mut bytes).expect("a frame");
            bytes.truncate(frame.buffer_size());
            let control = reader.info().frame_control.expect("a frame of an animation");
            delay = (control.delay_num, control.delay_den);
            all.push(bytes);
        }
        (delay, all)
    }

    #[test]
    fn frames_come_back_in_order() {
        let mut animation = Animation::new(WriteOptions::default());
        for n in 1..=3 {
            animation.push(&frame(&[n, 2 * n], 1)).expect("a frame");
        }
        let file = animation.encode(25).expect("a file");
        assert_eq!(decoded(&file), ((1, 25), vec![vec![1, 2], vec![2, 4], vec![3, 6]]));
        assert_eq!(read_png(&file).expect("the first frame"), frame(&[1, 2], 1));
    }

    /// The first frame may be transparent although others are not.
    #[test]
    fn alpha_counts_over_all_frames() {
        let file = |frames: [[u8; 4]; 2]| {
            let mut animation = Animation::new(WriteOptions::default());
            frames.iter().for_each(|pixel| animation.push(&frame(pixel, 4)).expect("a frame"));
            decoded(&animation.encode(1).expect("a file")).1
        };
        assert_eq!(file([[1, 2, 3, 0], [4, 5, 6, 7]]), [vec![1, 2, 3, 0], vec![4, 5, 6, 7]]);
        assert_eq!(file([[1, 2, 3, 0], [4, 5, 6, 0]]), [vec![1, 2, 3], vec![4, 5, 6]]);
    }

    #[test]
    fn frames_are_alike() {
        let mut animation = Animation::new(WriteOptions::default());
        assert!(matches!(animation.encode(1), Err(ContentError::Png { .. })));
        assert!(matches!(animation.push(&frame(&[0; 5], 5)), Err(ContentError::Channels { channels: 5, .. })));
        let mut animation = Animation::new(WriteOptions::default());
        animation.push(&frame(&[0; 2], 1)).expect("a frame");
        assert!(matches!(animation.push(&frame(&[0; 3], 1)), Err(ContentError::OtherShape { .. })));
        let sixteen = Array { data: Data::U16(vec![0; 2]), ..frame(&[0; 2], 1) };
        assert!(matches!(animation.push(&sixteen), Err(ContentError::Png { .. })));
    }
}
