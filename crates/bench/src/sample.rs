//! Times of one thing, measured several times.

/// Seconds, sorted.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Adds a time.
    pub fn add(&mut self, seconds: f64) {
        let at = self.0.partition_point(|&other| other <= seconds);
        self.0.insert(at, seconds);
    }

    /// The time below which this share of the times lies, in seconds; 0 if there are none.
    fn quantile(&self, share: f64) -> f64 {
        let at = share * self.0.len().saturating_sub(1) as f64;
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        let value = |at: usize| self.0.get(at).copied().unwrap_or_default();
        value(low) + (value(high) - value(low)) * at.fract()
    }

    /// The least time, in seconds.
    pub fn least(&self) -> f64 {
        self.quantile(0.0)
    }

    /// The greatest time, in seconds.
    pub fn greatest(&self) -> f64 {
        self.quantile(1.0)
    }

    /// The median, in seconds.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Half the distance between the quartiles, as a share of the median.
    pub fn spread(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / 2.0 / self.median()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_quartiles() {
        let mut sample = Sample::default();
        [5.0, 1.0, 2.0, 4.0, 3.0].into_iter().for_each(|time| sample.add(time));
        assert_eq!((sample.median(), sample.spread(), sample.least(), sample.greatest()), (3.0, 1.0 / 3.0, 1.0, 5.0));
        sample.add(6.0);
        assert_eq!(sample.median(), 3.5);
    }
}
