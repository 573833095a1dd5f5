//! The headers agree with the library: layouts, constants, packed words, declared and exported functions.
#![cfg(all(unix, not(target_vendor = "apple")))]

mod compiler;

use compiler::{INCLUDE, Scratch, compile, is_compiler_there, shared_library, succeed};
use ctm::*;
use ctm_codegen::EngineName;
use ctm_device::ErrorCode;
use ctm_device::command::{COMMANDS, Command, FormatCode, LocationCode, TestCode, TilingCode, encode};
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::mem::{MaybeUninit, offset_of};

const HEADERS: [&str; 6] =
    ["amDeviceManaged.h", "amuABI.h", "amuAsm.h", "amuComp.h", "amuCbufTypes.h", "amxExtensions.h"];

/// A text with the headers, each of which can come first.
fn with_headers(first: &str, text: &str) -> String {
    let others = HEADERS.iter().filter(|header| **header != first);
    let includes: String =
        std::iter::once(&first).chain(others).map(|header| format!("#include \"{header}\"\n")).collect();
    includes + "#include <stddef.h>\n#include <stdio.h>\n" + text
}

/// Lines that compile only if all conditions are true.
fn assertions(conditions: &[String]) -> String {
    let line = |(n, condition)| format!("typedef char assertion_{n}[({condition}) ? 1 : -1]; /* {condition} */\n");
    conditions.iter().enumerate().map(line).collect()
}

/// The size of what a pointer points to.
fn pointee<T>(_: *const T) -> usize {
    size_of::<T>()
}

/// Size of a type, offsets and sizes of its members, as conditions for C.
macro_rules! layout {
    ($type:ident { $($member:ident),+ }) => {{
        let size = format!("sizeof({}) == {}", stringify!($type), size_of::<$type>());
        let value = MaybeUninit::<$type>::uninit();
        // SAFETY: no member is read, their addresses are inside the value.
        let sizes = unsafe { [$(pointee(&raw const (*value.as_ptr()).$member)),+] };
        let members = [$((stringify!($member), offset_of!($type, $member))),+];
        let conditions = members.into_iter().zip(sizes).flat_map(|((name, offset), size)| {
            let (name, of) = (name.trim_start_matches("r#"), stringify!($type));
            [format!("offsetof({of}, {name}) == {offset}"), format!("sizeof((({of} *)0)->{name}) == {size}")]
        });
        std::iter::once(size).chain(conditions)
    }};
}

fn layouts() -> Vec<String> {
    let info = layout!(AMmanagedDeviceInfo {
        baseAddressGPU,
        arenaSizeGPU,
        baseAddressGPUb,
        arenaSizeGPUb,
        baseAddressSYS,
        arenaSizeSYS,
        baseAddressCPU,
        baseAddressSYSc,
        arenaSizeSYSc,
        baseAddressCPUc,
        reserved0,
        reserved1
    });
    let options = layout!(AMXoptions {
        size,
        localBytes,
        hostBytes,
        threads,
        groupWidth,
        stepLimit,
        unfused,
        deterministicClock,
        strict,
        record,
        engine
    });
    let name = layout!(AMUabiName { str });
    let user = layout!(AMUabiUserConst { name, r#type, addr });
    let literal = layout!(AMUabiLiteralConst { r#type, addr, value });
    let constants = layout!(AMUabiConstsInfo { userConsts, userConstsCount, litConsts, litConstsCount });
    let types = [
        format!("sizeof(AMuint32) == {}", size_of::<AMuint32>()),
        format!("sizeof(AMmanagedDevice) == {}", size_of::<AMmanagedDevice>()),
        format!("sizeof(AMUlogFunction) == {}", size_of::<AMUlogFunction>()),
        format!("sizeof(AMUabiDataType) == {}", size_of::<AMUabiDataType>()),
        "(AMuint32)-1 > 0".to_string(),
    ];
    info.chain(options).chain(name).chain(user).chain(literal).chain(constants).chain(types).collect()
}

/// Names in the headers, and what they are in the library.
fn constants() -> Vec<String> {
    let mut all: Vec<(String, u32)> = vec![
        ("AMU_ABI_FLOAT32".into(), AMU_ABI_FLOAT32),
        ("AMU_ABI_INT32".into(), AMU_ABI_INT32),
        ("AMU_ABI_BOOL32".into(), AMU_ABI_BOOL32),
        ("AMX_NO_ERROR".into(), 0),
    ];
    let errors = [
        ErrorCode::Opcode,
        ErrorCode::Address,
        ErrorCode::Program,
        ErrorCode::State,
        ErrorCode::Trap,
        ErrorCode::Internal,
        ErrorCode::Limit,
    ];
    all.extend(EngineName::ALL.map(|engine| {
        let name = engine.name().replace('-', "_").to_uppercase();
        (format!("AMX_ENGINE_{name}"), engine as u32)
    }));
    all.push(("AMX_ENGINE_FASTEST".into(), 0));
    all.extend([
        ("AMX_LIMIT_INSTRUCTIONS".into(), AMX_LIMIT_INSTRUCTIONS),
        ("AMX_LIMIT_RUN_TIME".into(), AMX_LIMIT_RUN_TIME),
        ("AMX_LIMIT_GROUP_TIME".into(), AMX_LIMIT_GROUP_TIME),
        ("AMX_LIMIT_MEMORY".into(), AMX_LIMIT_MEMORY),
        ("AMX_LOG_ERROR".into(), AMX_LOG_ERROR),
        ("AMX_LOG_REPORT".into(), AMX_LOG_REPORT),
        ("AMX_LOG_CALL".into(), AMX_LOG_CALL),
    ]);
    all.extend(errors.map(|code| (format!("AMX_{}", code.name()), code as u32)));
    all.extend(COMMANDS.iter().map(|info| (format!("AMU_CBUF_OP_{}", info.name.to_uppercase()), info.opcode)));
    let formats = FormatCode::ALL.into_iter().filter(|code| !code.name().starts_with("RESERVED"));
    all.extend(formats.map(|code| (format!("AMU_CBUF_FLD_FORMAT_{}", code.name()), code as u32)));
    // Reserved codes that later clients have names for; the last one has no code in a word.
    let later = [("UINT8_1", 5), ("UINT8_2", 6), ("UINT16_2", 7), ("UINT16_4", 8)];
    all.extend(later.map(|(name, value)| (format!("AMU_CBUF_FLD_FORMAT_{name}"), value)));
    all.extend(TilingCode::ALL.map(|code| {
        let name = code.name().replace("TILED", "TILED0");
        (format!("AMU_CBUF_FLD_TILING_{name}"), code as u32)
    }));
    all.extend(TestCode::ALL.map(|code| (format!("AMU_CBUF_FLD_TEST_{}", code.name()), code as u32)));
    all.extend(LocationCode::ALL.map(|code| (format!("AMU_CBUF_FLD_LOC_{}", code.name()), code as u32)));
    all.into_iter().map(|(name, value)| format!("{name} == {value}u")).collect()
}

#[test]
fn layouts_and_constants_are_those_of_the_library() {
    let scratch = Scratch::new();
    let text = assertions(&[layouts(), constants()].concat());
    for (extension, first) in ["c", "cpp"].into_iter().flat_map(|extension| HEADERS.map(|header| (extension, header))) {
        let source = scratch.file(&format!("layouts.{extension}"), &with_headers(first, &text));
        if is_compiler_there(&source) {
            succeed(&mut compile(&source, &scratch.path("layouts.o"), &["-c", "-Wno-sign-compare"]));
        }
    }
}

#[test]
fn no_constant_is_forgotten() {
    // Whatever the headers define has its counterpart above.
    let known: BTreeSet<String> =
        constants().iter().filter_map(|text| Some(text.split_once(' ')?.0.to_owned())).collect();
    let texts = HEADERS.map(|header| std::fs::read_to_string(format!("{INCLUDE}/{header}")).unwrap());
    let defined = texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix("#define "));
    let valued = defined.filter_map(|line| line.split_once(' ').map(|(name, _)| name.to_owned()));
    let functions = "AMU_CBUF_FORMAT_WORD(format,".to_owned();
    let defined: BTreeSet<String> = valued.filter(|name| *name != functions).collect();
    let enumerators = ["AMU_ABI_FLOAT32", "AMU_ABI_INT32", "AMU_ABI_BOOL32"];
    assert_eq!(defined, known.into_iter().filter(|name| !enumerators.contains(&name.as_str())).collect());
}

/// The names that the headers declare as functions.
fn declared() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for header in HEADERS {
        let text = std::fs::read_to_string(format!("{INCLUDE}/{header}")).unwrap().replace(",\n", ", ");
        let declarations = text.lines().filter(|line| line.ends_with(");") && !line.starts_with("typedef"));
        for line in declarations {
            let (before, _) = line.split_once('(').unwrap();
            names.insert(before.rsplit([' ', '*']).next().unwrap().to_owned());
        }
    }
    names
}

#[test]
fn what_is_exported_is_declared_and_what_is_declared_is_exported() {
    let bytes = std::fs::read(shared_library()).unwrap();
    let library = object::read::elf::ElfFile64::<object::Endianness>::parse(&*bytes).unwrap();
    let exported: BTreeSet<String> = library
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .map(|symbol| symbol.name().unwrap().to_owned())
        .collect();
    assert_eq!(exported, declared());
    assert!(exported.len() > 10 && exported.contains("amSubmitCommandBuffer"));
}

/// All commands, as calls of the packers, with parameters that no two fields share.
const CALLS: [&str; 28] = [
    "InitPerfCounters(1)",
    "StartPerfCounters()",
    "StopPerfCounters()",
    "ReadPerfCounters(0x80000800u)",
    "SetCondVal(-0.75f)",
    "SetDomain(1, 2, 3, 4095)",
    "StartProgram()",
    "WaitForIdle()",
    "SetInstFmt(0x80100000u, 0, 0, 0)",
    "SetInpFmt(13, 0x80200000u, AMU_CBUF_FLD_FORMAT_FLOAT32_2, AMU_CBUF_FLD_TILING_TILED0_INP_2X2, 8188, 77)",
    "SetOutFmt(3, 0x10000800u, AMU_CBUF_FLD_FORMAT_UINT8_4, AMU_CBUF_FLD_TILING_TILED0, 64, 8191)",
    "SetCondOutFmt(0x10001000u, AMU_CBUF_FLD_FORMAT_UINT16_1, AMU_CBUF_FLD_TILING_LINEAR, 4, 5)",
    "SetConstfFmt(0x80300000u, 4, 1, 256)",
    "SetConstiFmt(0x80400000u, 0, 0, 0)",
    "SetConstbFmt(0x80500000u, 0, 0, 0)",
    "InvInstCache()",
    "InvConstfCache()",
    "InvConstiCache()",
    "InvConstbCache()",
    "InvCondOutCache()",
    "InvInpCache()",
    "FlushOutCache()",
    "FlushCondOutCache()",
    "SetOutMask(5)",
    "SetCondOutMask(1)",
    "SetCondTest(AMU_CBUF_FLD_TEST_GREATER)",
    "SetCondLoc(AMU_CBUF_FLD_LOC_PE)",
    "SetParams(0x80600004u)",
];

/// A client in C++ that prints the words of all calls, and fails if the packer does not heed its capacity.
fn client_in_cpp() -> String {
    let calls = CALLS.map(|call| format!("    pack.append{call};\n")).concat();
    format!(
        r#"
#include "amuCbufPack.h"
#include <stdio.h>
int main()
{{
    unsigned int words[256], little[4] = {{7, 7, 7, 7}};
    AMUcbufPack pack(words, 256), full(little, 3);
{calls}
    for (unsigned int n = 0; n < pack.getCommandBufferSize(); n++) {{
        printf("%u\n", words[n]);
    }}
    /* A command that does not fit is not written at all, but counts. */
    full.appendFlushOutCache();
    full.appendWaitForIdle();
    full.appendStartProgram();
    return full.getCommandBufferSize() == 6 && little[2] == 7 && little[3] == 7 ? 0 : 1;
}}
"#
    )
}

/// The same in C.
fn client_in_c() -> String {
    let call = |call: &str| {
        let (name, parameters) = call.split_once('(').unwrap();
        let comma = if parameters == ")" { "" } else { ", " };
        format!("    all = amuCbufAppend{name}(&pack{comma}{parameters} && all;\n")
    };
    let calls = CALLS.map(call).concat();
    format!(
        r#"
#include "amuCbufPackC.h"
#include <stdio.h>
int main(void)
{{
    unsigned int words[256], little[4] = {{7, 7, 7, 7}}, n;
    int all = 1, fits;
    AMUcbufPacker pack = amuCbufPacker(words, 256), full = amuCbufPacker(little, 3);
{calls}
    for (n = 0; n < pack.size; n++) {{
        printf("%u\n", words[n]);
    }}
    all = all && amuCbufIsComplete(&pack);
    /* A command that does not fit is not written at all, but counts. */
    all = amuCbufAppendFlushOutCache(&full) && amuCbufIsComplete(&full) && all;
    fits = amuCbufAppendWaitForIdle(&full);
    fits = amuCbufAppendStartProgram(&full) || fits;
    all = all && full.size == 6 && little[2] == 7 && little[3] == 7;
    /* However many there are. */
    full.size = 0xFFFFFFFEu;
    fits = amuCbufAppendStartProgram(&full) || fits;
    fits = amuCbufAppendStartProgram(&full) || fits;
    return all && !fits && !amuCbufIsComplete(&full) ? 0 : 1;
}}
"#
    )
}

#[test]
fn the_packers_pack_every_command() {
    let scratch = Scratch::new();
    for (name, text) in [("pack.cpp", client_in_cpp()), ("pack.c", client_in_c())] {
        let source = scratch.file(name, &text);
        if is_compiler_there(&source) {
            let program = scratch.path("pack");
            succeed(&mut compile(&source, &program, &[]));
            let output = succeed(&mut std::process::Command::new(program)).stdout;
            let words: Vec<u32> =
                String::from_utf8(output).unwrap().lines().map(|line| line.parse().unwrap()).collect();
            assert_eq!(words, encode(commands()), "{name}");
        }
    }
}

/// What [`CALLS`] pack.
fn commands() -> [Command; CALLS.len()] {
    let (plain, linear) = (FormatCode::default(), TilingCode::Linear);
    [
        Command::InitPerfCounters { enable: true },
        Command::StartPerfCounters,
        Command::StopPerfCounters,
        Command::ReadPerfCounters { base: 0x8000_0800 },
        Command::SetCondVal { value: (-0.75f32).to_bits() },
        Command::SetDomain { i0: 1, j0: 2, i1: 3, j1: 4095 },
        Command::StartProgram,
        Command::WaitForIdle,
        Command::SetInstFmt { base: 0x8010_0000, format: plain, tiling: linear, pitch: 0 },
        Command::SetInpFmt {
            input: 13,
            base: 0x8020_0000,
            format: FormatCode::Float32_2,
            tiling: TilingCode::TiledInp2x2,
            pitch: 8188,
            height: 77,
        },
        Command::SetOutFmt {
            output: 3,
            base: 0x1000_0800,
            format: FormatCode::Uint8_4,
            tiling: TilingCode::Tiled,
            pitch: 64,
            height: 8191,
        },
        Command::SetCondOutFmt { base: 0x1000_1000, format: FormatCode::Uint16_1, tiling: linear, pitch: 4, height: 5 },
        Command::SetConstfFmt {
            base: 0x8030_0000,
            format: FormatCode::Float32_4,
            tiling: TilingCode::Tiled,
            pitch: 256,
        },
        Command::SetConstiFmt { base: 0x8040_0000, format: plain, tiling: linear, pitch: 0 },
        Command::SetConstbFmt { base: 0x8050_0000, format: plain, tiling: linear, pitch: 0 },
        Command::InvInstCache,
        Command::InvConstfCache,
        Command::InvConstiCache,
        Command::InvConstbCache,
        Command::InvCondOutCache,
        Command::InvInpCache,
        Command::FlushOutCache,
        Command::FlushCondOutCache,
        Command::SetOutMask { mask: 5 },
        Command::SetCondOutMask { mask: true },
        Command::SetCondTest { test: TestCode::Greater },
        Command::SetCondLoc { location: LocationCode::Pe },
        Command::SetParams { base: 0x8060_0004 },
    ]
}

#[test]
fn every_command_has_its_method_and_its_function() {
    assert_eq!(CALLS.len(), COMMANDS.len());
    let [cpp, c] =
        ["amuCbufPack.h", "amuCbufPackC.h"].map(|name| std::fs::read_to_string(format!("{INCLUDE}/{name}")).unwrap());
    for info in COMMANDS {
        let camel: String = info.name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        assert!(cpp.contains(&format!("void append{camel}(")), "{camel}");
        assert!(c.contains(&format!("int amuCbufAppend{camel}(AMUcbufPacker *packer")), "{camel}");
    }
}
