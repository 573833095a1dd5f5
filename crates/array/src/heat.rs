//! The colours of heat maps, wherever one is shown.

/// One channel after the other rises over its 255 steps.
const STEPS: usize = 3 * 255;

/// The colours from the least to the most: black, through red and yellow, to white. Brightness rises all the way, so that the order shows
/// without colours, too.
pub const HEAT: [[u8; 3]; STEPS + 1] = {
    let mut colours = [[0; 3]; STEPS + 1];
    let mut step = 1;
    while step <= STEPS {
        colours[step] = colours[step - 1];
        colours[step][(step - 1) / 255] += 1;
        step += 1;
    }
    colours
};

/// The picture of counts: red, green and blue of each, from black for none to white for the most.
pub fn heat_map(counts: &[u64]) -> Vec<u8> {
    let most = counts.iter().max().copied().unwrap_or_default().max(1) as f64;
    counts.iter().flat_map(|&count| HEAT[(count as f64 / most * STEPS as f64).round() as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_rise_one_after_the_other() {
        let expected = [[0, 0, 0], [128, 0, 0], [255, 0, 0], [255, 128, 0], [255, 255, 0], [255, 255, 255]];
        assert_eq!(heat_map(&[0, 1, 2, 3, 4, 6]), expected.as_flattened());
        assert_eq!(heat_map(&[0, 0]), [0; 6]);
        assert_eq!(heat_map(&[u64::MAX]), [255; 3]);
        let sums = HEAT.map(|colour| colour.map(usize::from).iter().sum::<usize>());
        assert!(sums.into_iter().eq(0..=STEPS));
    }
}
