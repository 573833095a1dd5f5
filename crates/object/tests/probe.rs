//! What files hold, by their bytes: every container that is loaded, and files of other machines and formats by their names.

use ctm_object::mesa::Driver;
use ctm_object::probe::{Content, Foreign, Format, Language};
use ctm_object::{elf, probe};
use std::collections::BTreeSet;
use std::path::Path;

const CUBIN: &[u8] = include_bytes!("sm50/kernels.cubin");

fn corpus(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The header of an ELF file.
fn elf_header(wide: bool, big: bool, machine: u16, flags: u32) -> Vec<u8> {
    let mut header = vec![0; if wide { 64 } else { 52 }];
    header[..6].copy_from_slice(&[0x7F, b'E', b'L', b'F', if wide { 2 } else { 1 }, if big { 2 } else { 1 }]);
    let at = if wide { 48 } else { 36 };
    let (machine, flags) = match big {
        true => (machine.to_be_bytes(), flags.to_be_bytes()),
        false => (machine.to_le_bytes(), flags.to_le_bytes()),
    };
    header[18..20].copy_from_slice(&machine);
    header[at..at + 4].copy_from_slice(&flags);
    header
}

/// What a foreign file is called.
#[track_caller]
fn foreign(bytes: &[u8]) -> String {
    match probe(bytes) {
        Content::Foreign(foreign) => {
            assert!(!foreign.help().is_empty());
            foreign.to_string()
        }
        content => panic!("{content:?}"),
    }
}

#[test]
fn containers_that_are_loaded() {
    let x1k = ctm_x1k::text::parse("OUT LAST : ;").expect("a program").program;
    assert_eq!(probe(&elf::write(&x1k)), Content::CtmImage);
    assert_eq!(probe(include_bytes!("r700/branches.o")), Content::R600Object);
    assert_eq!(probe(b"Gfx2\0\0\0\x20"), Content::Gfd);
    assert_eq!(probe(CUBIN), Content::Cubin);
    let (header, code) = (corpus("sm50/t_quads/tesc.sph.u32"), corpus("sm50/t_quads/tesc.code.u32"));
    assert_eq!(probe(&[header, code.clone()].concat()), Content::Sm50Program);
    assert_eq!(probe(&code), Content::Unknown);
    assert_eq!(probe(b"CTMTRACE\x01\0\0\0"), Content::Trace);
    assert_eq!(probe(b"CTM CARD\x01\0\0\0"), Content::CardTrace);
    assert_eq!(probe(b"; words\n00000002 a0080000\n"), Content::HexWords);
    assert_eq!(probe(b"===== 4 dw ===== 4 gprs ===== 2 stack ===\n"), Content::MesaLog(Driver::R600));
    assert_eq!(probe(b"R500 Fragment Program:\n"), Content::MesaLog(Driver::R300));
    assert_eq!(probe(b"OUT LAST : ;\n"), Content::Source(Language::X1k));
    assert_eq!(probe(b"one two three\n"), Content::Text);
    assert_eq!(probe(&[0x00, 0x03, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]), Content::PixelShaderCode);
    assert_eq!(probe(b"DKSH\x18\0\0\0"), Content::Dksh);
    assert_eq!(probe(b"unsigned char a[] = { 0x47, 0x66 };"), Content::CArray);
    assert_eq!(probe(b""), Content::Text);
    assert_eq!(probe(&[0; 24]), Content::Unknown);
}

#[test]
fn gpus_of_other_families() {
    const AMD: u16 = 224;
    const CUDA: u16 = 190;
    let amd = |wide, flags| foreign(&elf_header(wide, false, AMD, flags));
    assert_eq!(amd(true, 0x2C), "an ELF object for an AMD GPU of the GCN family (gfx900)");
    // The flags above the processor say what features the code needs.
    assert_eq!(amd(true, 0x0000_0F36), "an ELF object for an AMD GPU of the RDNA family (gfx1030)");
    assert_eq!(amd(true, 0x4C), "an ELF object for an AMD GPU of the CDNA family (gfx942)");
    assert_eq!(amd(false, 0x09), "an ELF object for an AMD GPU of the Evergreen family (cypress)");
    assert_eq!(amd(true, 0xFE), "an ELF object for an AMD GPU (processor 0xfe of LLVM's list)");
    for loaded in 1..=7 {
        assert_eq!(probe(&elf_header(false, false, AMD, loaded)), Content::R600Object);
    }

    let cuda = |abi: u8, flags| {
        let mut header = elf_header(true, false, CUDA, flags);
        header[8] = abi;
        header
    };
    assert_eq!(foreign(&cuda(7, 0x0046_0546)), "a cubin for sm_70");
    assert_eq!(foreign(&cuda(7, 0x005A_055A)), "a cubin for sm_90");
    assert_eq!(foreign(&cuda(8, 0x0600_6402)), "a cubin for sm_100");
    assert_eq!(foreign(&cuda(8, 0x0600_5A04)), "a cubin for sm_90");
    for loaded in [50, 52, 53, 60, 61, 62] {
        assert_eq!(probe(&cuda(7, loaded << 16 | 0x500 | loaded)), Content::Cubin);
    }
}

#[test]
fn processors_and_damaged_headers() {
    for (wide, big, machine, name) in [
        (true, false, 62, "x86-64"),
        (false, false, 3, "x86"),
        (false, false, 40, "ARM"),
        (true, false, 183, "AArch64"),
        (true, false, 243, "RISC-V"),
        (false, true, 20, "PowerPC"),
        (true, true, 21, "PowerPC 64"),
        (true, false, 9999, "machine 9999"),
    ] {
        assert_eq!(foreign(&elf_header(wide, big, machine, 0)), format!("an ELF file for {name}"));
    }
    assert_eq!(probe(b"\x7FELF\x01\x01"), Content::Foreign(Foreign::CutOffElf));
    assert_eq!(probe(&elf_header(true, false, 62, 0)[..51]), Content::Foreign(Foreign::CutOffElf));
}

#[test]
fn other_formats() {
    let format = |bytes: &[u8]| match probe(bytes) {
        Content::Foreign(Foreign::Format(format)) => {
            assert!(!format.name().is_empty() && !format.help().is_empty());
            format
        }
        content => panic!("{content:?}"),
    };
    let container = |part: &[u8]| {
        let mut bytes = [b"DXBC".as_slice(), &[0; 24], &1u32.to_le_bytes(), &36u32.to_le_bytes()].concat();
        bytes.extend(part);
        bytes
    };
    let mut executable = [b"MZ".as_slice(), &[0; 58], &64u32.to_le_bytes()].concat();
    executable.extend(b"PE\0\0");
    let cases: [(&[u8], Format); 18] = [
        (&0x0723_0203u32.to_le_bytes(), Format::SpirV),
        (&0x0723_0203u32.to_be_bytes(), Format::SpirV),
        (b"; SPIR-V\n; Version: 1.0\n", Format::SpirVText),
        (b"    OpCapability Shader\n", Format::SpirVText),
        (&container(b"DXIL"), Format::Dxil),
        (&container(b"SHEX"), Format::Dxbc),
        (&0xFFFE_0200u32.to_le_bytes(), Format::Direct3D9Vertex),
        (b"BC\xC0\xDE", Format::Bitcode),
        (b"//\n// Generated\n.version 8.4\n.target sm_50\n", Format::Ptx),
        (&0xBA55_ED50u32.to_le_bytes(), Format::Fatbin),
        (b"MTLB\x01", Format::MetalLibrary),
        (&executable, Format::WindowsExecutable),
        (b"\0asm\x01\0\0\0", Format::WebAssembly),
        (b"!<arch>\n", Format::Archive),
        (b"\x1F\x8B\x08\0", Format::Gzip),
        (b"\x28\xB5\x2F\xFD", Format::Zstandard),
        (b"\x89PNG\r\n\x1A\n", Format::Png),
        (b"\x93NUMPY\x01\0", Format::Npy),
    ];
    let mut names = BTreeSet::new();
    for (bytes, expected) in cases {
        assert_eq!(format(bytes), expected);
        names.insert(expected.name());
    }
    assert_eq!(names.len(), 16, "each of the formats has a name, two of them twice");
    // A directive of that name is part of other languages too.
    assert_eq!(probe(b".version 3\nEXIT\n"), Content::Text);
    assert_eq!(probe(b"MZ is text"), Content::Text);
}

/// Every text of the project is recognised without its name.
#[test]
fn languages_of_texts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for folder in [
        "examples",
        "examples/ps",
        "tests/filetests/x1k",
        "tests/filetests/r700",
        "tests/filetests/sm50",
        "tests/shaders",
    ] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { panic!("{folder}") };
        for entry in entries {
            let path = entry.expect("an entry").path();
            let Some(language) = Language::of_name(&path) else { continue };
            let content = probe(&std::fs::read(&path).expect("a file"));
            assert_eq!(content, Content::Source(language), "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
    for (text, language) in [
        (
            "; $MODE = \"UniformRegister\"\n00 CALL_FS NO_BARRIER\n01 EXP_DONE: POS0, R1\nEND_OF_PROGRAM\n",
            Language::R700,
        ),
        ("temp[1].xyzw = VE_MUL input[0] const[0] ;", Language::Pvs),
        ("// a copy\n@P0 MOV R1, c[0x0][0x20];\nEXIT;\n", Language::Sm50),
        ("ps.2.0\ndcl t0\n", Language::PixelShader),
        ("@fragment\nfn main() -> @location(0) vec4f {\n return vec4f(1.0);\n}\n", Language::Wgsl),
        ("void mainImage(out vec4 c, in vec2 p) {\n  c = vec4(0.0);\n}\n", Language::Glsl),
        (
            "/* a comment\n   MOV R0, R1; */\nprecision mediump float;\nvoid main() { gl_FragColor = vec4(1.0); }\n",
            Language::Glsl,
        ),
        ("set_domain i0=0 j0=0 i1=63 j1=63\nstart_program\n", Language::Commands),
    ] {
        assert_eq!(probe(text.as_bytes()), Content::Source(language), "{text}");
    }
    for (text, format) in [
        ("cbuffer A : register(b0) { float4 c; }\nfloat4 main() : SV_Target { return c; }\n", Format::Hlsl),
        ("vs_3_0\ndcl_position v0\n", Format::Direct3D9Vertex),
        ("!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n", Format::ArbAssembly),
        ("FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\n  0: END\n", Format::Tgsi),
        ("target triple = \"amdgcn\"\ndefine amdgpu_ps void @main() {\n", Format::LlvmText),
        ("#include <metal_stdlib>\nusing namespace metal;\n", Format::Msl),
    ] {
        assert_eq!(probe(text.as_bytes()), Content::Foreign(Foreign::Format(format)), "{text}");
    }
    assert_eq!(probe(b"      [----:B------:R-:W-:-:S06]   /*0008*/   MOV R1, c[0x0][0x20] ;\n"), Content::SassListing);
    assert_eq!(probe(b"--:-:-:-:1   MOV R1, c[0x0][0x20];\n"), Content::SassListing);
}

/// A line by itself speaks for a language or for none.
#[test]
fn lines_of_languages() {
    let source = Content::Source;
    let format = |format| Content::Foreign(Foreign::Format(format));
    for (text, content) in [
        // A comment says nothing, wherever it begins.
        ("-- gl_FragColor = vec4(1.0);\n-- vec2(\nOUT LAST : ;\n", source(Language::X1k)),
        ("OUT of here\n", Content::Text),
        ("OUT LAST : ;\n", source(Language::X1k)),
        // Most of the lines decide, if there are most.
        ("OUT LAST : ;\nOUT LAST : ;\nOUT LAST : ;\nEXIT;\nEXIT;\n", source(Language::X1k)),
        ("EXIT;\nEXIT;\nOUT LAST : ;\nOUT LAST : ;\n", Content::Text),
        // What decides on the first line: versions, and names that stand alone.
        ("#version 450\ncbuffer A {\ncbuffer B {\n", source(Language::Glsl)),
        ("; SPIR-V reflection\nOUT LAST : ;\n", source(Language::X1k)),
        ("FRAG of something\n", Content::Text),
        ("PS_3_0\n", source(Language::PixelShader)),
        ("vs_2_sw\n", format(Format::Direct3D9Vertex)),
        ("gs_4_0\n", Content::Text),
        ("ps_12_0\n", Content::Text),
        ("ps_a_0\n", Content::Text),
        ("ps_2_10\n", Content::Text),
        ("ps_2_0_1\n", Content::Text),
        // Listings have control bits, an address or a word.
        ("[----:B------:R-:W-:-:S06] MOV R1, R2;\n", Content::SassListing),
        ("[----:C------:R-:W-:-:S06] MOV R1, R2;\n", source(Language::Sm50)),
        ("[B------:R-:W-:-:S06] MOV R1, R2;\n", source(Language::Sm50)),
        ("--:-:-:Y:6 MOV R1, R2;\n", Content::SassListing),
        ("--:-:-:Z:6 MOV R1, R2;\n", Content::Text),
        ("--:-:-:-:123 MOV R1, R2;\n", Content::Text),
        ("-:-:-:-:1 MOV R1, R2;\n", Content::Text),
        ("--:-:-:1 MOV R1, R2;\n", Content::Text),
        ("/*0008*/ FOO\n", Content::SassListing),
        ("[x] /*0008*/ FOO\n", Content::SassListing),
        ("FOO /*0008*/\n", Content::Text),
        ("/*008*/ FOO\n", Content::Text),
        ("/*0zzz*/ FOO\n", Content::Text),
        ("FOO /* 0x4c98078000870001 */\n", Content::SassListing),
        ("FOO /* 0x4c980780008700zz */\n", Content::Text),
        ("FOO /* 0x4c98 */\n", Content::Text),
        (".headerflags 1\n", Content::SassListing),
        ("code for sm_50\n", Content::SassListing),
        ("Function : f\n", Content::SassListing),
        // Other machines and languages.
        ("cbuffer A {\n", format(Format::Hlsl)),
        ("x main() : SV_Target {\n", format(Format::Hlsl)),
        ("v_add_f32 v0, v1, v2\n", format(Format::GcnText)),
        ("s_endpgm\n", format(Format::GcnText)),
        ("v_position\n", Content::Text),
        ("v_position = p;\n", Content::Text),
        ("fn main() {\n", source(Language::Wgsl)),
        ("  a: f32,\n", source(Language::Wgsl)),
        ("uniform float a;\n", source(Language::Glsl)),
        ("a = vec4(1.0);\n", source(Language::Glsl)),
        // R700: numbered instructions, clauses, units.
        ("01 NOP\n", source(Language::R700)),
        ("07 POP2 POP_COUNT(1)\n", source(Language::R700)),
        ("07 LOOP_END @1\n", source(Language::R700)),
        ("01 Nop\n", Content::Text),
        ("01NOP\n", Content::Text),
        ("01 A\n", Content::Text),
        ("01 2X\n", Content::Text),
        ("01 _AB\n", Content::Text),
        ("NOP\n", Content::Text),
        ("CALL_FS\n", source(Language::R700)),
        ("END_OF_PROGRAM\n", source(Language::R700)),
        ("x: MOV R1.x, R0.x\n", source(Language::R700)),
        ("x: nothing\n", Content::Text),
        ("ALU: ADDR(2)\n", source(Language::R700)),
        ("ALU of something\n", Content::Text),
        // SM50: operations that only it has registers for, or that stand alone.
        (".stage tess_init\n", source(Language::Sm50)),
        (".stage tessellation\n", source(Language::Sm50)),
        (".stage vertex\n", Content::Text),
        ("MOV R1, R2;\n", source(Language::Sm50)),
        ("MOV RZ, RZ;\n", source(Language::Sm50)),
        ("F2F.F64.F32 R2, R0;\n", source(Language::Sm50)),
        ("MOV result, a;\n", Content::Text),
        ("EXIT;\n", source(Language::Sm50)),
        ("@!P0 KIL;\n", source(Language::Sm50)),
        ("KIL;\n", Content::Text),
    ] {
        assert_eq!(probe(text.as_bytes()), content, "{text}");
    }
}

/// Each language and format has words of its own.
#[test]
fn names_and_help() {
    let of =
        |language: Language| (language.name(), language.to_string(), language.endings()[0], language.is_compiled());
    let expected = [
        ("x1k", "assembly of X1K", "x1k", false),
        ("r700", "assembly of R700", "r700", false),
        ("sm50", "assembly of SM50", "sm50", false),
        ("pvs", "assembly of PVS", "pvs", false),
        ("ctm", "the text of a CTM command buffer", "ctmcb", false),
        ("glsl", "GLSL", "frag", true),
        ("wgsl", "WGSL", "wgsl", true),
        ("ps", "the text of a Direct3D 9 pixel shader", "ps", true),
    ];
    assert_eq!(
        Language::ALL.map(of),
        expected.map(|(name, text, ending, compiled)| (name, text.into(), ending, compiled))
    );
    let shared = |name: &str| Language::shares_name(Path::new(name));
    assert!(shared("a.ps") && shared("a.psh") && shared("a.fs") && !shared("a.frag") && !shared("ps"));

    let help = |bytes: &[u8]| probe(bytes).help().unwrap_or_default();
    for (bytes, part) in [
        (b"CTMTRACE\x01\0\0\0".as_slice(), "ctm replay FILE"),
        (b"CTM CARD\x01\0\0\0", "ctm card replay FILE"),
        (b"\x7FELF\x01\x01", "again"),
        (&elf_header(true, false, 62, 0), "CTM images"),
        (&elf_header(true, false, 224, 0x2C), "-mcpu=rv770"),
        (&elf_header(true, false, 190, 0x46), "-arch=sm_50"),
        (b"\0asm\x01\0\0\0", "code for a CPU"),
        (b"\x1F\x8B\x08\0", "unpack"),
        (b"\x89PNG\r\n\x1A\n", "--input"),
        (b"MTLB\x01", "compile it"),
    ] {
        assert!(help(bytes).contains(part), "{}", help(bytes));
    }
    assert_eq!(probe(b"OUT LAST : ;\n").help(), None);
}

/// Whatever a byte of a file says, and wherever it ends, it is identified.
#[test]
fn any_bytes_are_identified() {
    let files = [CUBIN.to_vec(), elf_header(false, true, 224, 5), b"DXBC".repeat(20)];
    for file in files {
        for at in 0..file.len().min(80) {
            probe(&file[..at]);
            for byte in [0, 0x7F, 0xFF] {
                let mut file = file.clone();
                file[at] = byte;
                probe(&file);
            }
        }
    }
    ctm_cases::check(4000, |bytes| {
        probe(bytes.arbitrary::<&[u8]>()?);
        Ok(())
    });
}
