//! Streams as text: a line for each method that is written, with its name and its fields, for macros their instructions, and for draws and
//! launches their programs.

mod draws;
mod programs;

pub use draws::draws;

use crate::macros::instruction;
use crate::methods::*;
use crate::stream::{Header, Kind, Stream};
use ctm_card::Submission;
use ctm_card::listing::{Line, dwords};
use ctm_memory::Arena;
use programs::Programs;

/// Dwords of data in a line.
const DATA_OF_LINE: usize = 8;
/// Parameters of a macro that are shown.
const PARAMETERS: usize = 32;
/// Lines of a listing, at most.
const MOST_LINES: usize = 1 << 20;

/// The lines of a submission whose objects lie in this memory. Programs are listed in front of the first draw or launch after they were
/// chosen, if they lie in memory or were uploaded before. What is not a packet gives a line that says so, and ends the listing.
pub fn listing(submission: &Submission, memory: &Arena) -> Vec<Line> {
    let mut stream = Stream::new(memory, submission.words);
    let mut lister = Lister { lines: Vec::new(), macro_position: 0, programs: Programs::new(memory) };
    loop {
        let at = stream.at();
        let Some(word) = stream.take() else { break };
        match Header::of(word) {
            Ok(Some(header)) => lister.packet(at, &header, &mut stream),
            Ok(None) => {}
            Err(error) => {
                lister.line(at, "", format!("error: {error}"));
                break;
            }
        }
        if lister.lines.len() >= MOST_LINES {
            lister.line(stream.at(), "", "and so on".into());
            break;
        }
    }
    lister.lines
}

struct Lister<'a> {
    lines: Vec<Line>,
    /// Where the next word of a macro's code goes.
    macro_position: u32,
    programs: Programs<'a>,
}

impl Lister<'_> {
    fn line(&mut self, at: usize, meaning: &'static str, text: String) {
        self.lines.push(Line { at, text, meaning });
    }

    fn packet(&mut self, at: usize, header: &Header, stream: &mut Stream) {
        let mut data = Vec::new();
        if let Kind::Immediate(word) = header.kind {
            data.push(word);
        }
        data.extend((0..header.count).map_while(|_| stream.take()));
        let Some(class) = Class::of_subchannel(header.subchannel) else {
            return self.line(
                at,
                "",
                format!("subchannel {}: {:#06x}:{}", header.subchannel, header.method, dwords(&data)),
            );
        };
        if class == Class::ThreeD && header.method >= MACROS {
            return self.macro_call(at, header.method, &data);
        }
        let first = at + usize::from(!matches!(header.kind, Kind::Immediate(_)));
        let mut number = 0;
        while number < data.len() {
            let method = header.method_of(number as u32);
            let is_same = |&other: &usize| header.method_of(other as u32) == method && is_data(class, method);
            let count = (number..data.len()).take_while(is_same).count().max(1);
            self.written(class, first + number, method, &data[number..number + count]);
            number += count;
        }
    }

    /// Words that are written to one method, one after the other.
    fn written(&mut self, class: Class, at: usize, method: u32, words: &[u32]) {
        let (map, name) = (class.map(), class.name());
        for &word in words {
            for text in self.programs.write(class, method, word) {
                self.line(at, "a program that is run", text);
            }
        }
        match (class, method) {
            (Class::ThreeD, GraphMacroUploadData::ADDRESS) => {
                for (number, &word) in words.iter().enumerate() {
                    let text = instruction::Text { at: self.macro_position, word };
                    self.line(at + number, map.doc(method), format!("macro {:>4}  {text}", self.macro_position));
                    self.macro_position = self.macro_position.wrapping_add(1);
                }
            }
            (_, _) if words.len() == 1 && !is_data(class, method) => {
                if class == Class::ThreeD && method == GraphMacroUploadPos::ADDRESS {
                    self.macro_position = words[0];
                }
                self.line(at, map.doc(method), format!("{name} {}", map.text(method, words[0])));
            }
            (_, _) => {
                for (number, words) in words.chunks(DATA_OF_LINE).enumerate() {
                    let text = format!("{name} {}:{}", map.name(method), dwords(words));
                    self.line(at + DATA_OF_LINE * number, map.doc(method), text);
                }
            }
        }
    }

    fn macro_call(&mut self, at: usize, method: u32, parameters: &[u32]) {
        let shown = &parameters[..parameters.len().min(PARAMETERS)];
        let more = parameters.len() - shown.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let number = (method - MACROS) / 8;
        self.line(at, "calls a macro", format!("3D macro {number}:{}{more}", dwords(shown)));
    }
}

/// Whether a method takes data, of which many words go to it.
fn is_data(class: Class, method: u32) -> bool {
    let is_constant =
        class == Class::ThreeD && (CbData::ADDRESS..CbData::ADDRESS + 4 * CbData::COUNT).contains(&method);
    let is_upload = class.has_uploads() && method == UploadData::ADDRESS;
    let is_index = class == Class::ThreeD
        && [VbElementU8::ADDRESS, VbElementU16::ADDRESS, VbElementU32::ADDRESS, GraphMacroUploadData::ADDRESS]
            .contains(&method);
    is_constant || is_upload || is_index
}
