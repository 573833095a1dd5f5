//! Headers of shader files: what comments say of them, what files hold of them, and what follows where nothing is said.

use super::header::{Header, HeaderKind, Row, place, placed, tables};
use super::layout::{Column, Entry, TYPES};
use super::*;
use ctm_cases::Unstructured;
use ctm_r700::{ProgramInfo, text};
use ctm_text::SourceFile;

const KINDS: [HeaderKind; 2] = [HeaderKind::Vertex, HeaderKind::Pixel];
const NAMES: [&str; 5] = ["", "mvp", "a name of many letters", "a = \"b\" ; [0]", "Größe"];

fn a_program(kind: HeaderKind) -> Program {
    let source = match kind {
        HeaderKind::Vertex => "CALL_FS\nALU:\n  x: MUL R1.x, R2.x, C0.x LAST\nEXP_DONE: POS0, R1\nEND_OF_PROGRAM\n",
        HeaderKind::Pixel => {
            "ALU: KCACHE0(CB1:0-15)\n  x: ADD R0.x, R0.x, KC0[1].x LAST\nEXP_DONE: PIX0, R0\nEND_OF_PROGRAM\n"
        }
    };
    let mut program = text::parse(source).unwrap_or_else(|errors| panic!("{}", errors[0].message)).program;
    program.info.stage = match kind {
        HeaderKind::Vertex => Stage::Vertex,
        HeaderKind::Pixel => Stage::Pixel,
    };
    program
}

/// Any header that is complete: each word is what it is where nothing is said, or something else.
fn any_header(u: &mut Unstructured<'_>, program: &Program, kind: HeaderKind) -> ctm_cases::Result<Header> {
    let mut header = Header::of(program, kind);
    for (at, entry) in placed(kind.layout()) {
        if matches!(entry, Entry::Program | Entry::Table(_) | Entry::Hidden(_)) {
            continue;
        }
        for at in at..at + entry.words() {
            match u.int_in_range(0..=5)? {
                0 => header.words[at] = u.int_in_range(0..=3)?,
                1 => header.words[at] = u.arbitrary()?,
                2 => header.words[at] ^= 1 << u.int_in_range(0..=31)?,
                _ => {}
            }
        }
    }
    for (rows, (_, table)) in header.tables.iter_mut().zip(tables(kind.layout())) {
        for own in 0..u.int_in_range(0..=3)? {
            let mut row = Row::default();
            for column in table.columns {
                row.numbers.push(match *column {
                    Column::Name => {
                        row.name = (*u.choose(&NAMES)?).to_owned();
                        0
                    }
                    Column::Type(_) => u.int_in_range(0..=TYPES.len() as u32)?,
                    Column::Sampler(_) => u.int_in_range(0..=5)?,
                    Column::Index(_) if u.arbitrary()? => own,
                    Column::Number(..) | Column::Index(_) => *u.choose(&[0, 1, 16, 300, u32::MAX])?,
                    Column::Float(_) => u.choose(&[0.0f32, -0.0, 1.5, 1e-40, f32::INFINITY, -3e38])?.to_bits(),
                });
            }
            rows.push(row);
        }
    }
    header.complete();
    Ok(header)
}

fn parsed(comments: &str, program: &Program, kind: HeaderKind) -> Result<Header, String> {
    let source = SourceFile { name: "a.psh".to_owned(), text: comments.to_owned() };
    let explain = |errors: Vec<ctm_text::Diagnostic>| {
        errors
            .iter()
            .map(|error| format!("{} ({})\n", error.message, error.help.as_deref().unwrap_or_default()))
            .collect()
    };
    super::comments::parse(&source, program, kind).map_err(explain)
}

#[test]
fn comments_say_all_of_a_header() {
    ctm_cases::check(3000, |u| {
        let kind = *u.choose(&KINDS)?;
        let program = a_program(kind);
        let header = any_header(u, &program, kind)?;
        let comments = super::comments::print(&header, &program);
        assert_eq!(parsed(&comments, &program, kind), Ok(header), "{comments}");
        Ok(())
    });
}

/// What follows from the rest is not said, and of registers only the fields that differ are.
#[test]
fn comments_say_no_more_than_it_takes() {
    for kind in KINDS {
        let mut header = Header::of(&a_program(kind), kind);
        header.complete();
        assert_eq!(super::comments::print(&header, &a_program(kind)), "", "nothing has to be said of it");
    }
    for (kind, text) in [
        (HeaderKind::Pixel, "; $NUM_SPI_PS_INPUT_CNTL = 0x2\n; $CB_SHADER_MASK.OUTPUT1_ENABLE = 0x5\n"),
        (HeaderKind::Pixel, "; $SPI_PS_INPUT_CNTL[3] = 0xff000000\n; $MODE = \"UniformRegister\"\n"),
        (HeaderKind::Pixel, "; $LOOP_VARS[0].OFFSET = 0\n; $LOOP_VARS[0].VALUE = -1\n"),
        (HeaderKind::Vertex, "; $NUM_SQ_VTX_SEMANTIC = 0x1\n; $SQ_VTX_SEMANTIC[0].SEMANTIC_ID = 0x4\n"),
        (
            HeaderKind::Vertex,
            "; $ATTRIB_VARS[0].NAME = \"uv\"\n; $ATTRIB_VARS[0].TYPE = \"Float2\"\n; $ATTRIB_VARS[0].COUNT = 0\n\
             ; $ATTRIB_VARS[0].LOCATION = 3\n",
        ),
    ] {
        let header = parsed(text, &a_program(kind), kind).unwrap();
        assert_eq!(super::comments::print(&header, &a_program(kind)), text);
    }
}

/// The list of places at the end of a block: what the system adds addresses to.
fn check_places(data: &[u8]) {
    let dword = |at: usize| u32::from_be_bytes(data[at..at + 4].try_into().unwrap());
    let at = data.len() - 40;
    let [magic, bytes, zero, size, base, text_size, text, patched, count, places] =
        std::array::from_fn(|n| dword(at + 4 * n));
    assert_eq!((magic, bytes, zero, base, patched), (0x7D42_4C4B, 40, 0, 0xD060_0000, 0));
    assert_eq!((text & 0xFFF0_0000, places), (0xD060_0000, 0xD060_0000 | size));
    assert_eq!((text & 0xF_FFFF) + text_size, size, "texts come after the rows, and places after them");
    assert_eq!(size as usize + 4 * count as usize, at);
    for number in 0..count as usize {
        let place = dword(size as usize + 4 * number);
        let (tag, place) = (place & 0xFFF0_0000, place & 0xF_FFFF);
        let target = dword(place as usize);
        assert_eq!(target & 0xFFF0_0000, tag);
        let targets = if tag == 0xCA70_0000 { text & 0xF_FFFF..size } else { 0..text & 0xF_FFFF };
        assert!(place % 4 == 0 && targets.contains(&(target & 0xF_FFFF)), "{place:#x} leads to {target:#x}");
    }
}

#[test]
fn files_hold_programs_and_their_headers() {
    ctm_cases::check(1000, |u| {
        let mut shaders = Vec::new();
        for _ in 0..u.int_in_range(1..=3)? {
            let kind = *u.choose(&KINDS)?;
            let mut program = a_program(kind);
            let header = any_header(u, &program, kind)?;
            // What a loader takes from the header.
            program.info.set_resources(header.words[0]);
            let word = |name| place(kind.layout(), name).map_or(0, |(at, _)| header.words[at]);
            match kind {
                HeaderKind::Vertex if word("MODE") == MODE_GEOMETRY => program.info.stage = Stage::Export,
                HeaderKind::Vertex => {}
                HeaderKind::Pixel => program.info.kill_enable = word("DB_SHADER_CONTROL") & KILL_ENABLE != 0,
            }
            shaders.push((program, header));
        }
        let file = write_gfd(&shaders.iter().map(|(program, header)| (program, header)).collect::<Vec<_>>());
        let found: Vec<_> = read_gfd(&file).unwrap().into_iter().map(|one| (one.program, *one.gfd.unwrap())).collect();
        assert_eq!(found, shaders);
        for (program, header) in &shaders {
            let data = header.write(4 * program.code.len() as u32);
            let (size, _) = placed(header.kind.layout()).find(|(_, entry)| matches!(entry, Entry::Program)).unwrap();
            assert_eq!(data[4 * size..4 * size + 4], (4 * program.code.len() as u32).to_be_bytes());
            if header.tables.iter().any(|rows| !rows.is_empty()) {
                check_places(&data);
            }
        }
        // Blocks are numbered.
        let ids = file.windows(4).enumerate().filter(|(_, bytes)| *bytes == b"BLK{").map(|(at, _)| file[at + 27]);
        assert_eq!(ids.collect::<Vec<_>>(), (0..=2 * shaders.len() as u8).collect::<Vec<_>>());
        Ok(())
    });
}

/// A header as latte-assembler has it where comments are silent.
#[test]
fn what_headers_are_where_nothing_is_said() {
    let words = |program: &Program, kind, comments: &str, wanted: &[&str]| -> Vec<u32> {
        let header = parsed(comments, program, kind).unwrap();
        wanted.iter().map(|name| header.words[place(kind.layout(), name).unwrap().0]).collect()
    };
    let (vertex, pixel) = (a_program(HeaderKind::Vertex), a_program(HeaderKind::Pixel));
    let of_vertex = |comments: &str, wanted: &[&str]| words(&vertex, HeaderKind::Vertex, comments, wanted);
    let of_pixel = |comments: &str, wanted: &[&str]| words(&pixel, HeaderKind::Pixel, comments, wanted);
    // Registers that are used, one entry of the stack for vertex shaders, constants in registers or in blocks.
    assert_eq!(of_vertex("", &["SQ_PGM_RESOURCES_VS", "MODE"]), [0x0103, 0]);
    assert_eq!(of_pixel("", &["SQ_PGM_RESOURCES_PS", "MODE"]), [0x0001, 1]);
    assert_eq!(
        of_vertex("", &["SPI_VS_OUT_ID", "SQ_VTX_SEMANTIC", "SQ_VTX_SEMANTIC_CLEAR"]),
        [u32::MAX, 0xFF, u32::MAX]
    );
    // What the program says itself counts.
    let info = ProgramInfo {
        num_gprs: 9,
        stack_size: Some(4),
        dx10_clamp: true,
        stage: Stage::Export,
        kill_enable: true,
        ..vertex.info
    };
    let told = Program { info, ..vertex.clone() };
    assert_eq!(words(&told, HeaderKind::Vertex, "", &["SQ_PGM_RESOURCES_VS", "MODE"]), [0x0020_0409, 2]);
    let killing = Program { info: ProgramInfo { stage: Stage::Pixel, ..info }, ..pixel.clone() };
    assert_eq!(
        words(&killing, HeaderKind::Pixel, "", &["SQ_PGM_RESOURCES_PS", "DB_SHADER_CONTROL"]),
        [0x0020_0409, 0x50]
    );

    // Attributes give the semantics, unless they are said; the mask of what no attribute sets follows from their number.
    let attributes = "; $ATTRIB_VARS[1].LOCATION = 7\n; $ATTRIB_VARS[0].LOCATION = 0x105\n";
    let semantics = ["NUM_SQ_VTX_SEMANTIC", "SQ_VTX_SEMANTIC", "SQ_VTX_SEMANTIC_CLEAR"];
    assert_eq!(of_vertex(attributes, &semantics), [2, 5, !3]);
    assert_eq!(of_vertex(&format!("; $NUM_SQ_VTX_SEMANTIC = 5\n{attributes}"), &semantics), [5, 0xFF, !31]);
    assert_eq!(of_vertex("; $NUM_SQ_VTX_SEMANTIC = 32\n", &semantics), [32, 0xFF, 0]);
    assert_eq!(of_vertex("; $NUM_SQ_VTX_SEMANTIC = 33\n; $SQ_VTX_SEMANTIC_CLEAR = 6\n", &semantics), [33, 0xFF, 6]);
    // Inputs are interpolated, unless that is said.
    let inputs = ["NUM_SPI_PS_INPUT_CNTL", "SPI_PS_IN_CONTROL_0"];
    assert_eq!(of_pixel("; $NUM_SPI_PS_INPUT_CNTL = 0x43\n", &inputs), [0x43, 0x1400_0003]);
    let said = "; $NUM_SPI_PS_INPUT_CNTL = 3\n; $SPI_PS_IN_CONTROL_0.NUM_INTERP = 2\n";
    assert_eq!(of_pixel(said, &inputs), [3, 0x1400_0002]);

    assert_eq!(gfd_header(&vertex).map(|header| header.kind), Ok(HeaderKind::Vertex));
    for stage in [Stage::Geometry, Stage::Copy, Stage::Fetch] {
        let other = Program { info: ProgramInfo { stage, ..info }, ..vertex.clone() };
        assert_eq!(gfd_header(&other), Err(NotGfd(stage)));
    }
}

#[test]
fn values_of_comments_have_forms() {
    let program = a_program(HeaderKind::Pixel);
    let said = |comment: &str| parsed(&format!("{comment}\n"), &program, HeaderKind::Pixel);
    for same in [
        "; $MODE = 1",
        ";$ mode=UniformBlock",
        "  ;  $MODE = \"uniformblock\"  ",
        "; $MODE.MODE = 0x1",
        "; $MODE = true",
    ] {
        assert_eq!(said(same), said("; $MODE = \"UniformBlock\""), "{same}");
    }
    let numbers = |comment: &str| said(comment).unwrap().tables.concat()[0].numbers.clone();
    assert_eq!(numbers("; $UNIFORM_VARS[0].BLOCK = -1"), [0, 11, 1, 0, u32::MAX]);
    assert_eq!(numbers("; $UNIFORM_VARS[0].TYPE = \"vec2\""), numbers("; $UNIFORM_VARS[0].TYPE = FLOAT2"));
    assert_eq!(numbers("; $INITIAL_VALUES[0].VALUE[2] = 1.5f"), [0, 0, 0x3FC0_0000, 0, 0]);
    assert_eq!(numbers("; $SAMPLER_VARS[0].TYPE = samplercube"), [0, 4, 0]);
    // Rows that are left out are as if nothing were said of them.
    let rows = said("; $LOOP_VARS[2].VALUE = 5").unwrap().tables.concat();
    assert_eq!(rows.iter().map(|row| row.numbers.clone()).collect::<Vec<_>>(), [[0, 0], [1, 0], [2, 5]]);
    assert_eq!(said("; $LOOP_VARS[255].VALUE = 5").unwrap().tables.concat().len(), 256);

    for (comment, message) in [
        ("; $MODE = -2", "`-2` is not a value of `MODE` (write a number, or one of UniformRegister, UniformBlock, "),
        (
            "; $NUM_SPI_PS_INPUT_CNTL = 4294967296",
            "is not a value of `NUM_SPI_PS_INPUT_CNTL` (write a number, true or false)",
        ),
        ("; $MODE[0] = 1", "`MODE` has no element 0 (leave the index out)"),
        ("; $MODE[x] = 1", "expected a number and `]` after `[`"),
        ("; $MODE[1 = 1", "expected a number and `]` after `[`"),
        ("; $SPI_PS_INPUT_CNTL[32] = 1", "has no element 32 (its elements are 0 to 31)"),
        ("; $CB_SHADER_MASK.OUTPUT1_ENABLE = 16", "16 does not fit `OUTPUT1_ENABLE` (expected 0 to 15)"),
        ("; $CB_SHADER_MASK.OUTPUT = 1", "`CB_SHADER_MASK` has no field `OUTPUT` (it has OUTPUT0_ENABLE, "),
        ("; $LOOP_VARS[256].VALUE = 5", "`LOOP_VARS` is a table"),
        ("; $LOOP_VARS.VALUE = 5", "`LOOP_VARS` is a table"),
        ("; $LOOP_VARS[0].VALUES = 5", "`LOOP_VARS` has no member `VALUES` (it has OFFSET, VALUE)"),
        ("; $SAMPLER_VARS[0].TYPE = \"sampler9D\"", "unknown type `sampler9D`"),
        ("; $UNIFORM_VARS[0].TYPE = \"vec5\"", "unknown type `vec5`"),
        ("; $INITIAL_VALUES[0].VALUE[0] = one", "`one` is not a number"),
        ("; $Q = 1", "unknown register `Q` of a Pixel shader header"),
    ] {
        let error = said(comment).expect_err(comment);
        assert!(error.contains(message), "{comment}: {error}");
    }
    // Each error is where its comment is.
    let text = "; $MODE = 1\n  ; $Q = 1  \n; $MODE\n";
    let source = SourceFile { name: "a.psh".to_owned(), text: text.to_owned() };
    let errors = super::comments::parse(&source, &program, HeaderKind::Pixel).unwrap_err();
    assert_eq!(errors.iter().map(|error| &text[error.span.clone()]).collect::<Vec<_>>(), ["; $Q = 1", "; $MODE"]);
}

/// The parts of a file have headers of a size that they say, and nothing counts after the last one.
#[test]
fn headers_of_files_and_blocks_have_sizes() {
    let program = a_program(HeaderKind::Pixel);
    let header = gfd_header(&program).unwrap();
    let file = write_gfd(&[(&program, &header)]);
    let expected = read_gfd(&file);
    assert_eq!(read_gfd(&[&file[..], b"something else"].concat()), expected);
    // 32 bytes more in front of the first block.
    let mut longer = [&file[..32], &[0; 32], &file[32..]].concat();
    longer[7] = 64;
    assert_eq!(read_gfd(&longer), expected);
    longer[7] = 31;
    let error = GfdError::Unexpected { what: "the header of the file", offset: 4, found: 31, expected: 32 };
    assert_eq!(read_gfd(&longer), Err(error));
}

/// Tables that lead out of a header leave the program as it is, without the header; one that is there ends where it says.
#[test]
fn tables_lie_in_the_header() {
    let kind = HeaderKind::Pixel;
    let program = a_program(kind);
    let header = parsed("; $SAMPLER_VARS[1].NAME = \"image\"\n", &program, kind).unwrap();
    let data = header.write(8);
    assert_eq!(Header::read(kind, &data), Ok(header.clone()));
    let (at, _) = tables(kind.layout()).last().unwrap();
    let with = |at: usize, value: u32| {
        let mut data = data.clone();
        data[4 * at..4 * at + 4].copy_from_slice(&value.to_be_bytes());
        Header::read(kind, &data)
    };
    assert_eq!(with(at, 0).unwrap().tables.concat(), []);
    assert_eq!(with(at, 1).unwrap().tables.concat().len(), 1);
    assert!(matches!(with(at, 4000), Err(GfdError::Truncated { .. })));
    assert!(matches!(with(at + 1, 0xD06F_FFFF), Err(GfdError::Truncated { what: "a row of a table", .. })));
    let first_name = (u32::from_be_bytes(data[4 * at + 4..4 * at + 8].try_into().unwrap()) & 0xF_FFFF) as usize / 4;
    assert!(matches!(with(first_name, 0xCA7F_FFFF), Err(GfdError::Truncated { what: "a name", .. })));
    // Names may share their ends.
    let image = data.windows(5).position(|bytes| bytes == b"image").unwrap() as u32;
    let names: Vec<String> =
        with(first_name, 0xCA70_0000 | (image + 2)).unwrap().tables.concat().into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["age", "image"]);
    assert!(matches!(Header::read(kind, &data[..4 * at]), Err(GfdError::Truncated { what: "a register", .. })));
}
