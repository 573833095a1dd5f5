//! What this crate does, machine by machine: `cargo run -p ctm-gpu --example tour`.

mod device;
mod r700;
mod sm50;
mod x1k;

/// An example, which prints what it found.
type Example = fn() -> Result<String, Box<dyn std::error::Error>>;

const EXAMPLES: [(&str, Example); 5] = [
    ("X1K: y = a x + b over an array, then one lane of it", x1k::run),
    ("R700: a pixel shader that reads a texture", r700::run),
    ("SM50: compute code over a block of threads", sm50::compute),
    ("SM50: a pipeline with a tessellator", sm50::draw),
    ("The CTM device", device::run),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (title, run) in EXAMPLES {
        println!("{title}\n{}\n", run()?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn examples_print_what_they_say() {
        let expected = [
            "lane (3, 1): [112.0, 116.0, 120.0, 124.0]\n\
             0: temp[1].r=56.5 temp[1].g=58.5 temp[1].b=60.5 temp[1].a=62.5\n\
             1: out[0].r=112 out[0].g=116 out[0].b=120 out[0].a=124",
            "red: [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]",
            "[0, 1, 7, 2, 5, 8, 16, 3, 19, 6] in 693 instructions",
            "800 triangles, the highest point at 0.76852",
            "lane (31, 30) stored [31.0, 30.0, 1.0, 1.0]",
        ];
        for ((title, run), expected) in super::EXAMPLES.into_iter().zip(expected) {
            let printed = run().unwrap_or_else(|error| panic!("{title}: {error}"));
            assert_eq!(printed, expected, "{title}");
        }
    }
}
