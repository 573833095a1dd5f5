//! `ctm run` of vertex programs.

use crate::common::{Folder, project};
use ctm_codegen::EngineName;

fn engines() -> impl Iterator<Item = &'static str> {
    EngineName::available().map(EngineName::name)
}

/// Sums of inputs and constants, one output of which depends on the sign of a component.
const PROGRAM: &str = "\
.const c1 = 1, 2, 3, 4
out[0].xyzw = VE_ADD input[0] const[1] ;
out[2].xy = VE_SGE input[0].xy__ input[0].00__ ;
out[2].zw = VE_MUL input[3].__zw const[7].__xx ;
";

fn array(rows: usize, columns: usize, values: impl Iterator<Item = f32>) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let header = format!("{header:<117}\n");
    let mut bytes = [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    bytes.extend(values.take(rows * columns).flat_map(f32::to_le_bytes));
    bytes
}

fn vectors(folder: &Folder, name: &str) -> Vec<[f32; 4]> {
    let bytes = folder.read(name);
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values: Vec<f32> = bytes[start..].as_chunks().0.iter().map(|&word| f32::from_le_bytes(word)).collect();
    values.as_chunks().0.to_vec()
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("sum.pvs", PROGRAM);
    folder.write("a.npy", array(70, 3, (0..).map(|n| n as f32 - 100.0)));
    folder.write("b.npy", array(70, 4, (0..).map(|n| n as f32)));
    folder.write("few.npy", array(20, 4, (0..).map(|n| n as f32)));
    folder.write("wide.npy", array(70, 5, (0..).map(|n| n as f32)));
    folder
}

#[test]
fn vertices_are_rows() {
    let folder = folder("pvs-rows");
    for engine in engines() {
        let line = format!(
            "run sum.pvs --input 0=a.npy --input 3=b.npy --const 7=0.5 -o sum.npy --output 2=more.npy --engine {engine} --stats"
        );
        let done = folder.ctm(&line).ok();
        assert!(!done.err().contains("warning"), "{}", done.err());
        assert!(done.out().contains("instructions    210, 3.0 per lane"), "{engine}: {}", done.out());
        let (sum, more) = (vectors(&folder, "sum.npy"), vectors(&folder, "more.npy"));
        assert_eq!((sum.len(), more.len()), (70, 70), "{engine}");
        for vertex in 0..70 {
            let at = |column: usize| (3 * vertex + column) as f32 - 100.0;
            // The missing component is 1.
            assert_eq!(sum[vertex], [at(0) + 1.0, at(1) + 2.0, at(2) + 3.0, 5.0], "{engine}, {vertex}");
            let sign = |value: f32| if value >= 0.0 { 1.0 } else { 0.0 };
            let other = |column: usize| (4 * vertex + column) as f32 * 0.5;
            assert_eq!(more[vertex], [sign(at(0)), sign(at(1)), other(2), other(3)], "{engine}, {vertex}");
        }
    }
}

#[test]
fn the_example_runs() {
    let folder = Folder::new("pvs-example");
    let program = project("examples/transform.pvs").display().to_string();
    let mut first = Vec::new();
    for engine in engines() {
        let line = format!(
            "run {program} --domain 64x3 --input 0=uv --input 1=position --input 2=constant:1,0.5,0.25,1 --engine {engine} -o clip.npy --output 1=colours.npy"
        );
        folder.ctm(&line).ok();
        let found = [folder.read("clip.npy"), folder.read("colours.npy")];
        assert_eq!(vectors(&folder, "clip.npy").len(), 192);
        if first.is_empty() {
            first = found.to_vec();
        }
        assert!(found == first[..], "{engine}");
    }
    // The normal of all vertices points away from the light; what is left is the light that there is anyway.
    let line = format!(
        "run {program} --domain 2x1 --input 0=uv --input 1=constant:0,-1,0,0 --input 2=constant:1,0.5,0.25,1 --output 1=dark.npy"
    );
    folder.ctm(&line).ok();
    assert_eq!(vectors(&folder, "dark.npy"), [[0.25, 0.125, 0.0625, 1.0]; 2]);
    let frames = format!(
        "run {program} --domain 2x1 --input 0=uv --input 1=uv --input 2=uv --frames 2 --uniform 3=time -o f-%02d.npy"
    );
    folder.ctm(&frames).ok();
    assert_ne!(folder.read("f-00.npy"), folder.read("f-01.npy"));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = folder("pvs-wrong");
    folder.ctm("run sum.pvs --input 0=a.npy").fails(1, &["reads input 3", "--input 3=FILE"]);
    folder.ctm("run sum.pvs --input 0=a.npy --input 3=few.npy").fails(2, &["input 3 has 20 vectors", "there are 70"]);
    folder.ctm("run sum.pvs --input 0=a.npy --input 3=wide.npy").fails(1, &["input 3", "wide.npy", "no vectors"]);
    folder.ctm("run sum.pvs --input 0=a.npy --input 3=@0").fails(2, &["input 3", "in between"]);
    folder.ctm("run sum.pvs --input 0=uv --input 3=uv").fails(2, &["how many vertices", "--domain"]);
    folder.ctm("run sum.pvs --input 0=a.npy --input 3=b.npy --follow 3").fails(2, &["--follow", "ctm debug"]);
    folder.ctm("run sum.pvs --input 0=a.npy --input 3=b.npy --position r0").fails(2, &["--position"]);
    let few =
        folder.ctm("run sum.pvs --domain 20x1 --input 0=a.npy --input 3=few.npy -o few_out.npy --output 5=x.npy").ok();
    for warning in ["reads c7, which has no value", "does not write output 5"] {
        assert!(few.err().contains(warning), "{}", few.err());
    }
    assert_eq!(vectors(&folder, "few_out.npy").len(), 20);
    assert_eq!(vectors(&folder, "x.npy"), [[0.0, 0.0, 0.0, 1.0]; 20]);
    let limit = "run sum.pvs --input 0=a.npy --input 3=b.npy --const 7=1 --step-limit 2 -o x.npy";
    for engine in engines() {
        folder.ctm(&format!("{limit} --engine {engine}")).fails(3, &["step limit", "instruction 2, of vertex 0"]);
    }
}

#[test]
fn instructions_are_counted() {
    let folder = folder("pvs-counts");
    let run = "run sum.pvs --input 0=a.npy --input 3=b.npy --const 7=0.5 -o sum.npy --counts --heat heat.f32";
    let page = folder.ctm(run).ok();
    let counted: Vec<&str> = page.out().lines().skip(1).take(3).collect();
    for (at, line) in counted.iter().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..4], [&at.to_string(), "70", "70", "1.0"], "{line}");
    }
    assert!(counted[1].contains("VE_SGE"), "{}", page.out());
    let heat: Vec<f32> = folder.read("heat.f32").as_chunks().0.iter().map(|&word| f32::from_le_bytes(word)).collect();
    assert_eq!(heat, [3.0; 70]);
}
