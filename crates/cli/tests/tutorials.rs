//! The tutorials at the start of the pages about assembly are true: their programs assemble, their commands run, and the pictures
//! show what the text says.

use crate::common::{Folder, is_alike, project};
use ctm_array::Array;
use std::fs;

/// Does what the tutorial of a page says, in an empty folder.
fn follow(page: &str, name: &str) -> Folder {
    let folder = Folder::new(name);
    let text = fs::read_to_string(project("docs").join(page)).expect("the page");
    let (_, tutorial) = text.split_once("\n## First program in five minutes\n").expect("a tutorial");
    let (tutorial, _) = tutorial.split_once("\n## ").expect("more after the tutorial");
    let mut commands = 0;
    for block in tutorial.split("\n```").skip(1).step_by(2) {
        let (info, body) = block.split_once('\n').expect("a block");
        match info.split_once(' ') {
            Some((_, file)) => {
                folder.write(file, format!("{body}\n"));
            }
            None => {
                assert_eq!(info, "sh", "{body}");
                for line in body.lines() {
                    let command = line.strip_prefix("ctm ").unwrap_or_else(|| panic!("{line}"));
                    let done = folder.ctm(command).ok();
                    assert!(!done.err().contains("warning"), "{line}\n{}", done.err());
                    commands += 1;
                }
            }
        }
    }
    assert!(commands >= 5, "{commands}");
    folder
}

/// The page about the card shows what commands print for the scene that it has: each line of its `text` blocks is in the output of a command,
/// and commands that need no driver run.
#[cfg(unix)]
#[test]
fn card() {
    let folder = Folder::new("tutorial-card");
    let scene = fs::read(project("tests/card/blend.ctmcard")).expect("the scene");
    for name in ["blend", "before", "after"] {
        folder.write(&format!("{name}.ctmcard"), &scene);
    }
    for (name, card) in [("grass", "rv770"), ("dome", "gm107"), ("terrain", "gm107")] {
        let trace = fs::read(project(&format!("tests/card/{card}/{name}.ctmcard"))).expect("the scene");
        folder.write(&format!("{name}.ctmcard"), trace);
    }
    let text = fs::read_to_string(project("docs/card.md")).expect("the page");
    let blocks = |info: &str| -> Vec<String> {
        let begin = format!("\n```{info}\n");
        text.split(&begin).skip(1).map(|rest| rest.split_once("\n```").expect("its end").0.to_owned()).collect()
    };
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_ctm"));
    let path = format!("{}:{}", program.parent().expect("a folder").display(), std::env::var("PATH").expect("PATH"));
    let (mut shown, mut scripts) = (String::new(), 0);
    for block in blocks("sh") {
        let lines = block.lines().filter(|line| !line.starts_with("ctm card record"));
        let script: String = lines.map(|line| format!("{line}\n")).collect();
        if ["blend.ctmcard", "before.ctmcard", "grass.ctmcard", "terrain.ctmcard"]
            .iter()
            .any(|trace| script.contains(trace))
        {
            let mut shell = std::process::Command::new("sh");
            let done = shell.args(["-eu", "-c", &script]).current_dir(&folder.0).env("PATH", &path).output();
            let done = done.expect("a shell");
            assert!(done.status.success(), "{script}\n{}", String::from_utf8_lossy(&done.stderr));
            shown += &String::from_utf8_lossy(&done.stdout);
            scripts += 1;
        }
    }
    assert!(scripts >= 7, "{scripts}");
    for name in ["grass", "terrain"] {
        let drawn = ctm_array::read_png(&folder.read(&format!("{name}.png"))).expect("a picture");
        let of_page = fs::read(project(&format!("docs/images/card-{name}.png"))).expect("the page's");
        let kept = ctm_array::read_png(&of_page).expect("a picture");
        assert_eq!(drawn.data, kept.data, "the page has another picture of {name}");
    }
    for command in ["stats", "dis"] {
        shown += folder.ctm(&format!("card {command} blend.ctmcard")).ok().out();
    }
    let shown: Vec<&str> = shown.lines().collect();
    let texts = blocks("text");
    assert!(texts.len() >= 4, "{}", texts.len());
    for line in texts.iter().flat_map(|block| block.lines()) {
        assert!(shown.contains(&line), "no command prints this: {line}");
    }
}

/// Red of a pixel of a picture, 0 to 255.
fn red(picture: &Array, x: usize, y: usize) -> u32 {
    let place = (y * picture.shape.width + x) * picture.shape.channels;
    (f32::from_bits(picture.data.to_f32()[place]) * 255.0).round() as u32
}

/// The dwords of a `.npy` file.
fn dwords(folder: &Folder, name: &str) -> Vec<u32> {
    let bytes = folder.read(name);
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[start..].as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// The four programs that the pages for pixels have in common.
fn shows_the_pictures(folder: &Folder) {
    let picture = |name: &str| ctm_array::read_png(&folder.read(name)).expect("a picture");
    let first = picture("first.png");
    assert_eq!((first.shape.width, first.shape.height), (256, 256));
    assert!(red(&first, 255, 0) > 250 && red(&first, 0, 255) == 0);
    let circle = picture("circle.png");
    assert_eq!(
        [(128, 128), (30, 128), (128, 227), (26, 128), (5, 5)].map(|(x, y)| red(&circle, x, y)),
        [255, 255, 255, 0, 0]
    );
    let board = picture("board.png");
    assert_eq!([(5, 5), (40, 5), (5, 40), (40, 40)].map(|(x, y)| red(&board, x, y)), [255, 0, 0, 255]);
    let waves = picture("waves.png");
    assert_eq!([16, 48, 80].map(|x| red(&waves, x, 100)), [255, 0, 255]);
    // Rings 0, 2 and 4 show the waves, 1 and 3 are black.
    let rings = picture("rings.png");
    for (x, shown) in [(130, true), (148, false), (160, true), (190, false), (220, true)] {
        assert_eq!(red(&rings, x, 128), if shown { red(&waves, x, 128) } else { 0 }, "{x}");
    }
}

#[test]
fn x1k() {
    let folder = follow("x1k-assembly.md", "tutorial-x1k");
    shows_the_pictures(&folder);
    let small = ctm_array::read_png(&folder.read("small.png")).expect("a picture");
    assert_eq!([(64, 64), (128, 128)].map(|(x, y)| red(&small, x, y)), [255, 0]);
}

#[test]
fn r700() {
    shows_the_pictures(&follow("r700-assembly.md", "tutorial-r700"));
}

#[test]
fn sm50() {
    let folder = follow("sm50-assembly.md", "tutorial-sm50");
    let squares: Vec<u32> = (0..10).map(|n| n * n).collect();
    assert_eq!(dwords(&folder, "squares.npy"), squares);
    assert!(String::from_utf8_lossy(&folder.read("squares.npy")).contains("'<u4'"));
    let picture = |name: &str| ctm_array::read_png(&folder.read(name)).expect("a picture");
    let (board, rings) = (picture("board.png"), picture("rings.png"));
    assert_eq!((board.shape.width, board.shape.height), (64, 64));
    assert_eq!([(0, 0), (8, 0), (0, 8), (8, 8)].map(|(x, y)| red(&board, x, y)), [0, 255, 255, 0]);
    let numbers = dwords(&folder, "numbers.npy");
    for y in 0..64 {
        for x in 0..64 {
            let distance = (x as f32 - 32.0).powi(2) + (y as f32 - 32.0).powi(2);
            let number = (0..).find(|&ring| distance < 16.0 * 3.0f32.powi(ring)).unwrap() as u32;
            assert_eq!(numbers[64 * y + x], number, "({x}, {y})");
            assert_eq!(red(&rings, x, y), if number % 2 == 1 { 128 } else { red(&board, x, y) }, "({x}, {y})");
        }
    }
    let circle = dwords(&folder, "circle.npy");
    assert!(!circle.is_empty());
    for position in circle.as_chunks::<4>().0 {
        let [x, y, z, w] = position.map(f32::from_bits);
        assert!(((x * x + y * y) - 1.0).abs() < 1e-5 && (z, w) == (0.0, 1.0), "{position:x?}");
    }
}

/// The commands at the start of the page about shaders make its pictures.
#[cfg(unix)]
#[test]
fn shaders() {
    let folder = Folder::new("tutorial-shaders");
    std::os::unix::fs::symlink(project("examples"), folder.0.join("examples")).expect("a link");
    let text = fs::read_to_string(project("docs/shaders.md")).expect("the page");
    let script = text.split("\n```sh\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("a block");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_ctm"));
    let path = format!("{}:{}", program.parent().expect("a folder").display(), std::env::var("PATH").expect("PATH"));
    let mut shell = std::process::Command::new("sh");
    let shell = shell.args(["-eu", "-c", script]).current_dir(&folder.0).env("PATH", path);
    let output = shell.output().expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("warning"), "{errors}");
    let pictures: Vec<&str> = text.split("(images/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert_eq!(pictures.len(), 6);
    for picture in pictures {
        let shown = fs::read(project("docs/images").join(picture)).expect("a picture of the page");
        let [made, shown] = [folder.read(picture), shown].map(|bytes| ctm_array::read_png(&bytes).expect("a picture"));
        assert!(is_alike(&made, &shown), "{picture} is not what docs/images shows");
    }
}
