//! Streams as text: a line for each register write and packet, with names and fields, and with the programs of draws.

use crate::packets::{Nop, Opcode, Packet, packets};
use crate::programs::{STAGES, program};
use crate::registers::codes::GeometryMode;
use crate::registers::{self, RegisterFile, VgtGsMode, map};
use crate::resources;
use ctm_card::Submission;
use ctm_card::listing::{Line, dwords, fields_text};
use ctm_memory::Arena;
use ctm_r700::{Program, Stage};
use std::collections::HashSet;

/// The lines of a submission whose objects lie in this memory: what the driver has written there is enough. Programs are listed in front of the
/// first draw that runs them. Dwords that are not a packet give a line that says so, and end it.
pub fn listing(submission: &Submission, memory: &Arena) -> Vec<Line> {
    let mut lister = Lister {
        submission,
        memory,
        lines: Vec::new(),
        registers: registers::after_reset(),
        waiting: Vec::new(),
        listed: HashSet::new(),
    };
    for (at, packet) in packets(submission.words) {
        match packet {
            Ok(Packet::Filler) => {}
            Ok(Packet::Command { opcode, predicated, body }) => lister.packet(at, opcode, predicated, body),
            Err(error) => lister.line(at, "", format!("error: {error}")),
        }
    }
    lister.lines
}

struct Lister<'a> {
    submission: &'a Submission<'a>,
    memory: &'a Arena,
    lines: Vec<Line>,
    registers: RegisterFile,
    /// Registers of addresses of the packet before, which relocations bind.
    waiting: Vec<u32>,
    /// Programs that have been listed.
    listed: HashSet<Program>,
}

impl Lister<'_> {
    fn line(&mut self, at: usize, meaning: &'static str, text: String) {
        self.lines.push(Line { at, text, meaning });
    }

    fn packet(&mut self, at: usize, opcode: Opcode, predicated: bool, body: &[u32]) {
        let info = opcode.info();
        if opcode == Opcode::Nop {
            let relocation = Nop::of(body).relocation;
            self.bind(relocation);
            return self.line(at, info.doc, format!("  relocation {}", relocation / 4));
        }
        self.waiting.clear();
        match (opcode.register_space(), body.split_first()) {
            (Some((start, _)), Some((&offset, values))) => {
                let first = start + 4 * ctm_bits::extract(offset, 15, 0);
                match opcode {
                    Opcode::SetResource => self.resources(at, first, values),
                    _ => self.registers(at, first, values),
                }
            }
            _ => {
                if matches!(opcode, Opcode::DrawIndex | Opcode::DrawIndexAuto | Opcode::DrawIndexImmd) {
                    self.programs(at);
                }
                let known = info.fields.iter().map(|field| field.word + 1).max().unwrap_or_default();
                let data = body.get(known..).unwrap_or_default();
                let predicate = if predicated { " if the predicate says so" } else { "" };
                let text = format!("{}{}{}{predicate}", info.name, fields_text(info.fields, body), dwords(data));
                self.line(at, info.doc, text);
            }
        }
    }

    fn registers(&mut self, at: usize, first: u32, values: &[u32]) {
        for (number, &value) in values.iter().enumerate() {
            let address = first + 4 * number as u32;
            self.registers.write(address, value);
            if map().at(address).is_some_and(|(register, _)| register.shown == registers::ValueFormat::Address) {
                self.waiting.push(address);
            }
            self.line(at + 2 + number, map().doc(address), map().text(address, value));
        }
    }

    fn resources(&mut self, at: usize, first: u32, values: &[u32]) {
        let number = (first - resources::ADDRESS) / resources::STRIDE;
        for (count, words) in values.chunks(resources::WORDS).enumerate() {
            let text = match words.try_into() {
                Ok(words) => {
                    let kind = resources::kind(words);
                    format!("{}{}", kind.name(), fields_text(resources::fields(kind), words))
                }
                Err(_) => format!("part of it:{}", dwords(words)),
            };
            let text = format!("resource {}: {text}", number + count as u32);
            self.line(at + 2 + count * resources::WORDS, Opcode::SetResource.info().doc, text);
        }
    }

    /// A relocation belongs to the next register that waits for one.
    fn bind(&mut self, relocation: u32) {
        let object = self.submission.objects.get((relocation / 4) as usize);
        if let (Some(&object), false) = (object, self.waiting.is_empty()) {
            let address = self.waiting.remove(0);
            self.registers.bind(address, self.registers.value(address), object);
        }
    }

    /// The programs that a draw runs, if they have not been listed.
    fn programs(&mut self, at: usize) {
        let geometry = self.registers.get::<VgtGsMode>().mode == GeometryMode::ScenarioG;
        for stage in &STAGES {
            let runs = match stage.stage {
                Stage::Geometry | Stage::Export => geometry,
                Stage::Pixel | Stage::Vertex | Stage::Fetch | Stage::Copy => true,
            };
            let Some(mut program) = program(&self.registers, stage, self.memory).filter(|_| runs) else { continue };
            if stage.stage == Stage::Vertex && geometry {
                program.info.stage = Stage::Copy;
            }
            if program.code.is_empty() || !self.listed.insert(program.clone()) {
                continue;
            }
            let name = stage_name(program.info.stage);
            self.line(at, "a program that the draw runs", format!("{name} program, {} bytes", 8 * program.code.len()));
            for instruction in ctm_r700::text::instructions(&program) {
                let text = instruction.text.split_whitespace().collect::<Vec<_>>().join(" ");
                self.line(at, "", format!("  {name} {:>3}  {text}", instruction.address));
            }
        }
    }
}

/// A stage in words.
fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Pixel => "PS",
        Stage::Vertex => "VS",
        Stage::Geometry => "GS",
        Stage::Export => "ES",
        Stage::Fetch => "FS",
        Stage::Copy => "copy",
    }
}
