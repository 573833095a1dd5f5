//! The tessellator against the records of Mesa's llvmpipe, in order and bit for bit. What `tessellator/records.txt` holds and
//! where it is from, `tessellator/README.md` says.

use ctm_sm50::pipeline::{Levels, Spacing, TessDomain, Tessellation, tessellate};

/// FNV-1a over the bytes of coordinates.
fn digest(points: impl Iterator<Item = [f32; 2]>) -> String {
    let bytes = points.flatten().flat_map(f32::to_le_bytes);
    let hash =
        bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    format!("{hash:016x}")
}

#[test]
fn points_and_primitives_are_those_of_llvmpipe() {
    let mut combinations = 0;
    for line in include_str!("tessellator/records.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [domain, spacing, winding] = words[..3].try_into().unwrap();
        let state = Tessellation {
            domain: match domain {
                "triangles" => TessDomain::Triangles,
                "quads" => TessDomain::Quads,
                "isolines" => TessDomain::Isolines,
                other => panic!("{other}"),
            },
            spacing: match spacing {
                "equal" => Spacing::Equal,
                "odd" => Spacing::FractionalOdd,
                "even" => Spacing::FractionalEven,
                other => panic!("{other}"),
            },
            clockwise: winding == "cw",
            point_mode: false,
        };
        let levels: Vec<f32> =
            words[3..9].iter().map(|bits| f32::from_bits(u32::from_str_radix(bits, 16).unwrap())).collect();
        let levels = Levels { outer: levels[..4].try_into().unwrap(), inner: levels[4..].try_into().unwrap() };
        let points = tessellate(&Tessellation { point_mode: true, ..state }, &levels);
        let connected = tessellate(&state, &levels);
        for (mesh, count, expected) in [(points, words[9], words[10]), (connected, words[11], words[12])] {
            let records = || mesh.indices.iter().map(|&point| mesh.points[point as usize]);
            let got = (records().count().to_string(), digest(records()));
            assert_eq!(got, (count.to_owned(), expected.to_owned()), "{state:?} {levels:?}, {:?}s", mesh.shape);
        }
        combinations += 1;
    }
    assert!(combinations >= 500, "{combinations}");
}
