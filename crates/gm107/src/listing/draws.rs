//! Draws of a stream, found without executing it.

use crate::methods::*;
use crate::state::Methods;
use crate::stream::{Header, Kind, Stream};
use ctm_card::{Draw, Submission, SubmissionError};
use ctm_memory::Arena;

/// A draw that has begun.
struct OpenDraw {
    at: usize,
    primitive: &'static str,
    vertices: u32,
    source: &'static str,
}

/// The draws of a submission whose stream lies in this memory, found without executing it. Those that macros make are not known.
///
/// # Errors
/// What is there is no stream.
pub fn draws(submission: &Submission, memory: &Arena) -> Result<Vec<Draw>, SubmissionError> {
    let mut stream = Stream::new(memory, submission.words);
    let (mut methods, mut open, mut draws) = (Methods::default(), None, Vec::new());
    loop {
        let at = stream.at();
        let Some(word) = stream.take() else { return Ok(draws) };
        let header = Header::of(word).map_err(|error| SubmissionError { at, message: error.to_string() })?;
        let Some(header) = header else { continue };
        if header.subchannel != 0 || header.method >= MACROS {
            stream.skip(header.count as usize);
            continue;
        }
        let mut ended = false;
        if let Kind::Immediate(word) = header.kind {
            ended |= written(&mut methods, &mut open, at, header.method, word);
        }
        for number in 0..header.count {
            let Some(word) = stream.take() else { return Ok(draws) };
            ended |= written(&mut methods, &mut open, at, header.method_of(number), word);
        }
        if let Some(OpenDraw { at, primitive, vertices, source }) = open.take_if(|_| ended) {
            draws.push(Draw { at, end: stream.at(), primitive, vertices, source });
        }
    }
}

/// Takes a word that is written to a method of draws; whether a draw ends there.
fn written(methods: &mut Methods, open: &mut Option<OpenDraw>, at: usize, method: u32, word: u32) -> bool {
    methods.write(method, word);
    let mut append = |count: u32, source: &'static str| {
        if let Some(draw) = open {
            (draw.vertices, draw.source) = (draw.vertices.saturating_add(count), source);
        }
    };
    match method {
        VertexBeginGl::ADDRESS => {
            let primitive = VertexBeginGl::decode(word).primitive.name();
            *open = Some(OpenDraw { at, primitive, vertices: 0, source: "nothing" });
        }
        VertexBufferCount::ADDRESS => append(word, "ranges"),
        IndexBatchCount::ADDRESS => append(word, "indices in memory"),
        VbElementU8::ADDRESS => append(4, "indices in stream"),
        VbElementU16::ADDRESS => append(2, "indices in stream"),
        VbElementU32::ADDRESS => append(1, "indices in stream"),
        DrawTfbBytes::ADDRESS => {
            let (base, stride) = (methods.get::<DrawTfbBase>().value, methods.get::<DrawTfbStride>().value);
            append(word.saturating_sub(base).checked_div(stride).unwrap_or_default(), "what feedback has written");
        }
        VertexEndGl::ADDRESS => return open.is_some(),
        _ => {}
    }
    false
}
