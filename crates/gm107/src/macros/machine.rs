//! The macro processor.

use super::instruction::{AluOperation, Assignment, Instruction, Operation, REGISTERS, branch, immediate, source};
use thiserror::Error;

/// Instructions that a macro may execute. Those of drivers execute a few for each parameter and each instance of indirect draws.
const MAX_STEPS: u64 = 1 << 26;
/// Instructions between two looks at the time.
const STEPS_PER_CHECK: u64 = 1 << 12;

/// What a macro reads and writes.
pub trait Port {
    /// What ends the submission.
    type Error;

    /// What the method of this number, a quarter of its byte offset, holds.
    fn read(&self, number: u32) -> u32;

    /// Writes to it.
    ///
    /// # Errors
    /// The submission ends there.
    fn send(&mut self, number: u32, word: u32) -> Result<(), Self::Error>;

    /// Whether the time is up.
    fn is_late(&self) -> bool;
}

/// Why a macro did not end by itself.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MacroError<E> {
    /// An instruction that there is not.
    #[error("word {word:#010x} at {at} is not an instruction")]
    Unknown {
        /// Its place.
        at: u32,
        /// Its word.
        word: u32,
    },
    /// The code ends before the macro does.
    #[error("it leaves the code at {at}")]
    Outside {
        /// Where.
        at: u32,
    },
    /// It goes on and on.
    #[error("it does not end")]
    Endless,
    /// The time is up.
    #[error("it takes too long")]
    Late,
    /// What it sent ends the submission.
    #[error("{0}")]
    Sent(E),
}

struct Machine<'a, P> {
    port: &'a mut P,
    registers: [u32; REGISTERS],
    carry: bool,
    /// Number of the method that is written next.
    method: u32,
    /// Methods from that to the one after it.
    increment: u32,
    parameters: std::slice::Iter<'a, u32>,
}

/// Runs the macro that begins at this place of the code.
///
/// # Errors
/// If it does what the processor cannot do, or what it sends does.
pub fn run<P: Port>(code: &[u32], start: u32, parameters: &[u32], port: &mut P) -> Result<(), MacroError<P::Error>> {
    let mut parameters = parameters.iter();
    let mut registers = [0; REGISTERS];
    registers[1] = parameters.next().copied().unwrap_or_default();
    let mut machine = Machine { port, registers, carry: false, method: 0, increment: 0, parameters };
    let (mut at, mut next) = (start, start.wrapping_add(1));
    let mut is_last = false;
    for step in 0..MAX_STEPS {
        if step % STEPS_PER_CHECK == STEPS_PER_CHECK - 1 && machine.port.is_late() {
            return Err(MacroError::Late);
        }
        let word = *code.get(at as usize).ok_or(MacroError::Outside { at })?;
        let instruction = Instruction::read(&[word]);
        let mut after = next.wrapping_add(1);
        let mut exit = instruction.exit;
        match instruction.operation {
            Operation::Branch => {
                let (if_set, annul) = branch(word);
                if (machine.registers[usize::from(instruction.a)] != 0) == if_set {
                    let target = at.wrapping_add_signed(immediate(word));
                    exit = false;
                    match annul {
                        true => (next, after) = (target, target.wrapping_add(1)),
                        false => after = target,
                    }
                }
            }
            Operation::Unknown => return Err(MacroError::Unknown { at, word }),
            Operation::Alu
            | Operation::AddImmediate
            | Operation::Insert
            | Operation::ExtractFrom
            | Operation::ExtractTo
            | Operation::Read => {
                let result = machine.result(&instruction, word).ok_or(MacroError::Unknown { at, word })?;
                machine.assign(&instruction, result).map_err(MacroError::Sent)?;
            }
        }
        if is_last {
            return Ok(());
        }
        is_last = exit;
        (at, next) = (next, after);
    }
    Err(MacroError::Endless)
}

/// So many low bits.
fn mask(size: u8) -> u32 {
    1u32.checked_shl(size.into()).map_or(u32::MAX, |bit| bit - 1)
}

impl<P: Port> Machine<'_, P> {
    /// What an instruction that is no branch calculates.
    fn result(&mut self, instruction: &Instruction, word: u32) -> Option<u32> {
        let Instruction { a, b, size, destination, .. } = *instruction;
        let [a, b] = [a, b].map(|register| self.registers[usize::from(register)]);
        let right = |value: u32, by: u32| value.checked_shr(by).unwrap_or_default();
        Some(match instruction.operation {
            Operation::Alu => return self.alu(instruction.alu, a, b),
            Operation::AddImmediate => a.wrapping_add_signed(immediate(word)),
            Operation::Insert => {
                let bits = mask(size) << destination;
                (a & !bits) | ((b >> source(word)) << destination & bits)
            }
            Operation::ExtractFrom => (right(b, a) & mask(size)) << destination,
            Operation::ExtractTo => ((b >> source(word)) & mask(size)).checked_shl(a).unwrap_or_default(),
            Operation::Read => self.port.read(a.wrapping_add_signed(immediate(word)) & 0xFFF),
            Operation::Branch | Operation::Unknown => return None,
        })
    }

    fn alu(&mut self, operation: AluOperation, a: u32, b: u32) -> Option<u32> {
        let sum = |carry: bool| {
            let sum = u64::from(a) + u64::from(b) + u64::from(carry);
            (sum as u32, sum > u64::from(u32::MAX))
        };
        let difference = |borrow: bool| {
            let taken = u64::from(b) + u64::from(borrow);
            (u64::from(a).wrapping_sub(taken) as u32, u64::from(a) >= taken)
        };
        let (result, carry) = match operation {
            AluOperation::Add => sum(false),
            AluOperation::AddWithCarry => sum(self.carry),
            AluOperation::Subtract => difference(false),
            AluOperation::SubtractWithBorrow => difference(!self.carry),
            AluOperation::Xor => (a ^ b, self.carry),
            AluOperation::Or => (a | b, self.carry),
            AluOperation::And => (a & b, self.carry),
            AluOperation::AndNot => (a & !b, self.carry),
            AluOperation::Nand => (!(a & b), self.carry),
            AluOperation::Unknown(_) => return None,
        };
        self.carry = carry;
        Some(result)
    }

    fn assign(&mut self, instruction: &Instruction, result: u32) -> Result<(), P::Error> {
        let d = instruction.d;
        match instruction.assignment {
            Assignment::Fetch => {
                let parameter = self.fetch();
                self.set(d, parameter);
            }
            Assignment::Move => self.set(d, result),
            Assignment::MoveAndAddress => {
                self.set(d, result);
                self.address(result);
            }
            Assignment::FetchAndSend => {
                let parameter = self.fetch();
                self.set(d, parameter);
                self.send(result)?;
            }
            Assignment::MoveAndSend => {
                self.set(d, result);
                self.send(result)?;
            }
            Assignment::FetchAndAddress => {
                let parameter = self.fetch();
                self.set(d, parameter);
                self.address(result);
            }
            Assignment::MoveAndAddressThenFetchAndSend => {
                self.set(d, result);
                self.address(result);
                let parameter = self.fetch();
                self.send(parameter)?;
            }
            Assignment::MoveAndAddressThenSendIncrement => {
                self.set(d, result);
                self.address(result);
                self.send(self.increment)?;
            }
        }
        Ok(())
    }

    /// The next parameter; 0 if there are no more.
    fn fetch(&mut self) -> u32 {
        self.parameters.next().copied().unwrap_or_default()
    }

    fn set(&mut self, register: u8, value: u32) {
        if let Some(slot) = self.registers.get_mut(usize::from(register)).filter(|_| register != 0) {
            *slot = value;
        }
    }

    fn address(&mut self, value: u32) {
        (self.method, self.increment) = (ctm_bits::extract(value, 11, 0), ctm_bits::extract(value, 17, 12));
    }

    fn send(&mut self, word: u32) -> Result<(), P::Error> {
        self.port.send(self.method, word)?;
        self.method = (self.method + self.increment) & 0xFFF;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps what is sent: byte offsets of methods, and words.
    #[derive(Default)]
    struct Log(Vec<(u32, u32)>);

    impl Port for Log {
        type Error = ();

        fn read(&self, number: u32) -> u32 {
            if number == 0xD08 { 0x1234 } else { 0 }
        }

        fn send(&mut self, number: u32, word: u32) -> Result<(), ()> {
            self.0.push((4 * number, word));
            Ok(())
        }

        fn is_late(&self) -> bool {
            true
        }
    }

    fn sent(code: &[u32], parameters: &[u32]) -> Vec<(u32, u32)> {
        let mut log = Log::default();
        assert_eq!(run(code, 0, parameters, &mut log), Ok(()));
        log.0
    }

    #[test]
    fn carries_go_on_to_the_next_word() {
        let sum = [0x0000_0200, 0x0000_0300, 0x0000_0400, 0x0740_0021, 0x0000_CD40, 0x0003_16C0, 0x0000_0010];
        assert_eq!(sent(&sum, &[0xFFFF_FFFF, 1, 2, 3]), [(0x3400, 1), (0x3404, 5)]);
        let difference = [0x0000_0200, 0x0000_0300, 0x0000_0400, 0x0740_0021, 0x0004_CD40, 0x0007_16C0, 0x0000_0010];
        assert_eq!(sent(&difference, &[1, 5, 2, 3]), [(0x3400, 0xFFFF_FFFF), (0x3404, 1)]);
    }

    #[test]
    fn bits_are_inserted_and_extracted() {
        let code = [0x0000_0200, 0x0740_0021, 0x8208_8B42, 0x0003_0411, 0x0210_A544, 0x1A00_A6C3, 0x0000_0010];
        let expected = [(0x3400, 0x11F9_1111), (0x3404, 0xE_F000), (0x3408, 0x6F0)];
        assert_eq!(sent(&code, &[0x1111_1111, 0xABCD_EF98]), expected);
    }

    #[test]
    fn the_instruction_after_a_branch_is_executed() {
        let code = [0x0740_0021, 0x0000_D241, 0xFFFF_C911, 0xFFFF_8817, 0x0000_5B11, 0x0000_18C0, 0x0000_0010];
        assert_eq!(sent(&code, &[3]), [(0x3400, 3), (0x3404, 6), (0x3408, 9), (0x340C, 3)]);
    }

    #[test]
    fn the_end_after_a_branch_counts_if_it_is_not_taken() {
        let taken = [0x0740_0021, 0x0000_C8A7, 0x0001_C2C1, 0x0000_0010, 0x0002_42C1, 0x0001_4241];
        assert_eq!(sent(&taken, &[0]), [(0x3400, 9), (0x3404, 5)]);
        let not_taken = [0x0740_0021, 0x0000_C8A7, 0x0001_C241, 0x0002_0241, 0x0002_42C1, 0x0001_4241];
        assert_eq!(sent(&not_taken, &[1]), [(0x3400, 7)]);
    }

    #[test]
    fn methods_are_read_and_parameters_sent() {
        let code = [0x0740_0021, 0x0342_0245, 0x0000_0B30, 0x0000_5C40, 0x0B41_0561, 0x1741_80F1, 0x0000_0010];
        let expected = [(0x3400, 0x1234), (0x3404, 0x10), (0x3408, 0x30), (0x3410, 0x30), (0x3418, 5)];
        assert_eq!(sent(&code, &[0x10, 0x20, 0x30]), expected);
    }

    #[test]
    fn macros_that_do_not_end_are_ended() {
        let mut log = Log::default();
        assert_eq!(run(&[0x0000_0027, 0], 0, &[], &mut log), Err(MacroError::Late));
        assert_eq!(run(&[0x0000_0011], 0, &[], &mut log), Err(MacroError::Outside { at: 1 }));
        assert_eq!(run(&[], 7, &[], &mut log), Err(MacroError::Outside { at: 7 }));
        assert_eq!(run(&[6], 0, &[], &mut log), Err(MacroError::Unknown { at: 0, word: 6 }));
        let unknown_sum = 0x0000_0010 | 4 << 17;
        assert_eq!(run(&[unknown_sum], 0, &[], &mut log), Err(MacroError::Unknown { at: 0, word: unknown_sum }));
    }
}
