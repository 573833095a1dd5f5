//! The screen, at 80x24.

#[path = "../../debug/tests/support/halving.rs"]
mod halving;

use ctm_debug::{Location, Origin, Test, Variable};
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_terminal::{ASCII, App, Flow, Picture, draw};
use ctm_x1k::{Domain, Job, RunOptions, debug, text};
use halving::first_wrong;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

const PROGRAM: &str = "
.int i0 = 4, 0, 1
LOOP i[0];
  src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;
  src0.rgb = temp[0], src1.rgb = temp[1] : result[ge] = MAD src1.r__ src0.1__ -src0.r__ ;
  BREAK IF alu;
ENDLOOP;
src0.rgb = temp[0], src1.rgb = temp[1] : temp[2].r = MAD src1.r__ src0.1__ -src0.r__ ;
src0.rgb = temp[2] : temp[3].a = LN2 src0.r ;
OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[3] : out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;
";

fn app(program: &str) -> App {
    let program = text::parse(program).unwrap_or_else(|errors| panic!("{errors:#?}")).program;
    let mut memory = Space::default();
    let base = memory.append(4096).unwrap();
    let mut job = Job::new(&program, Domain::of_size(8, 2).unwrap(), &memory);
    let (tiling, format) = (Tiling::Linear, Format::Float32_4);
    job.outputs[0] = Some(Surface { base, pitch: 8, height: 2, tiling, superfine: false, format });
    let options = RunOptions { group_width: 8, ..RunOptions::default() };
    let session = debug::session(&job, &options, debug::listing(&program), (2, 0)).unwrap();
    let colours = (0..16).map(|n| [n * 16, 0, 255]).collect();
    let counts = (0..program.code.len() as u64).map(|n| n * 11).collect();
    App::new(session, counts, Some(Picture { columns: 8, rows: 2, colours }))
}

fn press(app: &mut App, keys: &str) -> Flow {
    let mut flow = Flow::Stay;
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Right,
            c => KeyCode::Char(c),
        };
        flow = app.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
    flow
}

fn screen(app: &App, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(app, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| line(y).trim_end().to_owned()).collect()
}

#[test]
fn all_of_it_is_on_80x24() {
    let mut app = app(PROGRAM);
    press(&mut app, "\t\t\t\t\t");
    let screen = screen(&app, 80, 24).join("\n");
    println!("{screen}");
    for part in [
        "X1K  group 0 of 2  step 5  lane (2, 0)  pass 2 of 4",
        "▶11 1 src0.rgb = temp[1]",
        "temp[1] 1 0 0 0",
        "lanes: 4 of 8 execute",
        "○○██",
        "5 / 5",
        "q quit",
    ] {
        assert!(screen.contains(part), "{part}");
    }
    assert!(screen.contains("▀"));
}

#[test]
fn keys_and_commands() {
    let mut app = app(PROGRAM);
    press(&mut app, "jb");
    assert_eq!(app.message, "breakpoint 1");
    press(&mut app, "cc");
    assert_eq!(app.now.step, 5);
    press(&mut app, "C");
    assert_eq!((app.now.step, app.message.as_str()), (1, "1: breakpoint"));
    press(&mut app, ":goto 12\n:who temp[1].r\n");
    assert!(app.message.contains("step 5: 1: src0.rgb"), "{}", app.message);
    press(&mut app, ":memory output 0 at 1,1\n");
    assert!(
        app.message.starts_with("16 bytes of memory at 0x") && app.message.ends_with(": 0, 0, 0, 0"),
        "{}",
        app.message
    );
    press(&mut app, ":temp[1].r * 2\n");
    assert_eq!(app.message, "temp[1].r * 2 = 4");
    press(&mut app, ":break nowhere\n");
    assert!(app.message.contains("no label, address or line 'nowhere'"));
    press(&mut app, ":goto 99\n");
    assert_eq!((app.message.as_str(), app.now.step), ("group 0 has 15 steps", 12));
    assert!(screen(&app, 80, 24)[0].contains("step 12") && !app.is_over());
    press(&mut app, "]");
    assert_eq!(app.session.focus(), (3, 0));
    press(&mut app, "?");
    let page = screen(&app, 80, 24).join("\n");
    assert!(page.contains("any key closes") && page.contains("everything else is an expression"), "{page}");
    press(&mut app, "x");
    assert!(app.page.is_none());
    assert_eq!(press(&mut app, "q"), Flow::Leave);
}

/// Where the locale has no UTF-8, all is ASCII.
#[test]
fn a_terminal_without_unicode_has_ascii() {
    let mut app = app(PROGRAM);
    app.signs = &ASCII;
    press(&mut app, "b\t\t\t\t\t");
    let screen = screen(&app, 80, 24).join("\n");
    println!("{screen}");
    assert!(screen.is_ascii());
    for part in ["+ program, with counts", " >11 1 src0.rgb", "*", "oo##", "[=====", "-> step"] {
        assert!(screen.contains(part), "{part}");
    }
}

/// The row that is next is shown whole, others as far as they fit; panels grow with the terminal.
#[test]
fn the_room_there_is_is_used() {
    let mut app = app(PROGRAM);
    press(&mut app, "\t\t");
    let text = app.session.guest().listing().rows[app.now.row.unwrap()].text.clone();
    let end = &text[text.len() - 12..];
    app.message.clear();
    let small = screen(&app, 80, 24).join("\n");
    assert!(small.contains(end) && small.contains('…'), "{end}: {small}");
    let large = screen(&app, 200, 60);
    assert!(large.iter().any(|line| line.contains(&text)), "{}", large.join("\n"));
    assert!(large.iter().filter(|line| line.contains('▀')).count() > 5, "{}", large.join("\n"));
}

/// Variables of a source have a panel, and are known to expressions.
#[test]
fn variables_are_shown() {
    let mut app = app(PROGRAM);
    let cells = app.session.guest().cells();
    let counter = cells.iter().position(|cell| cell.register() == "temp[1]" && cell.channel == Some('r')).unwrap();
    let location = |origin, test| Location { origin, absolute: false, negative: true, test };
    let variable = |name: &str, is_truth, location| Variable {
        name: name.into(),
        channel: None,
        is_truth,
        lines: 0..=u32::MAX,
        places: vec![(1..100, location)],
    };
    app.session.set_variables(vec![
        variable("minus", false, location(Origin::Cell(counter), None)),
        variable("started", true, location(Origin::Cell(counter), Some(Test::Negative))),
        variable("five", false, Location::bits(5.0f32.to_bits())),
    ]);
    press(&mut app, "\t\t");
    let screen = screen(&app, 80, 24).join("\n");
    for part in ["variables", "minus   -1", "started 1", "five    5"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    press(&mut app, ":minus * 3 + five\n");
    assert_eq!(app.message, "minus * 3 + five = 2");
    press(&mut app, ":started && minus < 0\n");
    assert_eq!(app.message, "started && minus < 0 = 1");
    press(&mut app, "S");
    press(&mut app, "S");
    press(&mut app, ":five + 1\n");
    assert!(app.message.contains("does not have 'five' here"), "{}", app.message);
}

/// Nothing panics where there is no space.
#[test]
fn every_size_is_drawn() {
    let mut app = app(PROGRAM);
    press(&mut app, "c");
    for (width, height) in [(1, 1), (20, 5), (40, 10), (300, 100), (80, 2), (3, 50)] {
        screen(&app, width, height);
        app.page = Some("one\ntwo".into());
        screen(&app, width, height);
    }
}

/// A program of 40 instructions in which one exchanges two channels: the session finds it in ten actions.
#[test]
fn a_wrong_swizzle_is_found_in_ten_actions() {
    let mut app = app(include_str!("../../debug/tests/support/wrong_swizzle.x1k"));
    let mut actions = 1;
    app.key(KeyEvent::new(KeyCode::End, KeyModifiers::NONE));
    let wrong = first_wrong(|register| {
        press(&mut app, &format!(":temp[{register}].r > temp[{register}].g\n"));
        actions += 1;
        app.message.ends_with("= 1")
    });
    press(&mut app, &format!(":who temp[{wrong}].r\n"));
    actions += 1;
    assert!(app.message.contains("MAD src0.grb"), "{}", app.message);
    assert!(actions <= 10, "{actions}");
}
