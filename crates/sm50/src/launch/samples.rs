//! Samples of pixels.
//!
//! Sources: the positions that Mesa gives to OpenGL for this machine (`nvc0_context.c`).

/// Most samples of a pixel.
pub const MAX_SAMPLES: usize = 8;
/// Parts of a pixel in which positions are counted.
pub const SAMPLE_GRID: u32 = 16;

/// Where the samples of a pixel are, from its upper left corner to the right and down, in [parts](SAMPLE_GRID) of a pixel. There are 1, 2, 4 or 8 of them; of any
/// other number it is those of 1.
pub const fn sample_positions(samples: u32) -> &'static [[u8; 2]] {
    match samples {
        2 => &[[4, 4], [12, 12]],
        4 => &[[6, 2], [14, 6], [2, 10], [10, 14]],
        8 => &[[1, 7], [5, 3], [3, 13], [7, 11], [9, 5], [15, 1], [11, 15], [13, 9]],
        _ => &[[8, 8]],
    }
}

/// What `PIXLD.OFFSET` gives for a sample: how far it is from the centre in 1/4096 of a pixel, two numbers of 16 bits, the one to the right below. 0 if
/// there is no such sample.
pub fn sample_offset(samples: u32, number: u32) -> u32 {
    let Some(position) = sample_positions(samples).get(number as usize) else { return 0 };
    let [right, down] = position.map(|at| ((i32::from(at) - 8) * (4096 / SAMPLE_GRID as i32)) as u16);
    u32::from(down) << 16 | u32::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_from_the_centre() {
        assert_eq!([0, 1].map(|number| sample_offset(1, number)), [0, 0]);
        assert_eq!([0, 1, 2].map(|number| sample_offset(2, number)), [0xFC00_FC00, 0x0400_0400, 0]);
        assert_eq!(sample_offset(8, 5), 0xF900_0700);
        for samples in [1, 2, 4, 8] {
            let positions = sample_positions(samples);
            assert_eq!(positions.len(), samples as usize);
            let sum = positions.iter().fold([0, 0], |sum, at| [sum[0] + u32::from(at[0]), sum[1] + u32::from(at[1])]);
            assert_eq!(sum, [8 * samples; 2], "they lie around the centre");
        }
    }
}
