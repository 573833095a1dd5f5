//! Names of what instructions read and write, each once.

/// Names in the order in which they are first added.
#[derive(Default)]
pub struct Registers(pub Vec<String>);

impl Registers {
    /// Adds a name.
    pub fn add(&mut self, name: impl Into<String>) {
        let name = name.into();
        if !self.0.contains(&name) {
            self.0.push(name);
        }
    }

    /// Adds the channels of a register whose bits are set.
    pub fn add_channels(&mut self, register: &str, channels: u8, names: [char; 4]) {
        for (number, name) in names.into_iter().enumerate() {
            if channels >> number & 1 == 1 {
                self.add(format!("{register}.{name}"));
            }
        }
    }
}
