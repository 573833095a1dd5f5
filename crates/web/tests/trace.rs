//! Traces on the page, without a browser.

use ctm_web::TraceView;
use std::path::Path;

fn open(name: &str) -> TraceView {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/card").join(name);
    TraceView::open(std::fs::read(path).unwrap()).unwrap()
}

/// Everything that is shown after a draw.
fn shown(view: &mut TraceView, stop: usize) -> (String, Vec<Vec<u8>>) {
    let left = view.go(stop).unwrap();
    let pictures = (0..left.surfaces.len()).map(|surface| view.picture(surface).unwrap()).collect();
    (format!("{left:?}"), pictures)
}

#[test]
fn steps_show_what_is_there_in_any_order() {
    for name in ["texture.ctmcard", "rv770/blend.ctmcard"] {
        let mut view = open(name);
        let stops = view.describe().stops;
        let mut order: Vec<usize> = (0..stops.len()).chain((0..stops.len()).rev()).collect();
        order.extend([stops.len() - 1, 0, stops.len() / 2]);
        for stop in order {
            assert_eq!(shown(&mut view, stop), shown(&mut open(name), stop), "{name}, draw {stop}");
            let [submission, dword] = stops[stop];
            let (again, fresh) = (view.lines(submission, dword).unwrap(), open(name).lines(submission, dword).unwrap());
            assert_eq!(format!("{again:?}"), format!("{fresh:?}"), "{name}, draw {stop}");
        }
        let error = view.go(stops.len()).unwrap_err();
        assert!(error.to_string().contains("has no draw"), "{error}");
    }
}

#[test]
fn histories_do_not_depend_on_what_was_asked_before() {
    let mut view = open("triangles.ctmcard");
    let last = view.describe().stops.len() - 1;
    for (stop, x, y) in [(last, 48, 32), (0, 48, 32), (last / 2, 48, 32), (last / 2, 20, 10), (last, 20, 10)] {
        let fresh = open("triangles.ctmcard").history(stop, x, y).unwrap();
        assert_eq!(format!("{:?}", view.history(stop, x, y).unwrap()), format!("{fresh:?}"), "draw {stop}, ({x}, {y})");
    }
}

/// The scene has a red rectangle at a depth of 0.2 and a blue one at 0.4 of -1 to 1, behind a hole in the stencil buffer
/// (tests/card/scenes.c); pixels are 96 x 64, the bottom row first.
#[test]
fn depth_buffers_hold_the_depths_of_the_scene() {
    for name in ["depth.ctmcard", "rv770/depth.ctmcard"] {
        let mut view = open(name);
        let stops = view.describe().stops.len();
        let found = (0..stops).rev().find_map(|stop| {
            let surfaces = view.go(stop).unwrap().surfaces;
            let at = surfaces.iter().position(|surface| surface.depths.is_some())?;
            Some((at, surfaces[at].clone()))
        });
        let (at, surface) = found.unwrap_or_else(|| panic!("{name} has no depth buffer"));
        assert_eq!((surface.width, surface.height), (96, 64), "{name}");
        assert_eq!(surface.channels, ["depth", "stencil"], "{name}");
        let held = |x, y| view.pixel(at, x, y).unwrap().into_iter().map(f32::from_bits).collect::<Vec<_>>();
        for ((x, y), [depth, stencil]) in [((76, 32), [0.6, 1.0]), ((55, 54), [0.7, 1.0]), ((1, 1), [1.0, 0.0])] {
            let found = held(x, y);
            assert!((found[0] - depth).abs() < 1e-6 && found[1] == stencil, "{name}, ({x}, {y}): {found:?}");
        }
        let [least, most] = surface.depths.unwrap();
        assert!(least < 0.6 && most == 1.0, "{name}: {least} to {most}");
        let gray = view.picture(at).unwrap();
        let of = |x: usize, y: usize| gray[4 * (96 * y + x)];
        assert!(of(1, 1) == 255 && of(76, 32) < of(55, 54), "{name}: what is nearer is darker");
    }
}

/// Pages are built without the third card; a build with all of the workspace's features has it.
#[test]
fn traces_of_cards_that_the_page_is_without_are_said_to_be_so() {
    let header =
        [&b"CTM CARD"[..], &2u32.to_le_bytes(), &0x1380u32.to_le_bytes(), &{ *b"gm107\0\0\0\0\0\0\0\0\0\0\0" }]
            .concat();
    match TraceView::open(header.clone()) {
        Ok(_) => assert!(!ctm_cards::Model::is_left_out("gm107")),
        Err(error) => {
            assert_eq!(
                error.to_string(),
                "the trace is of the card gm107, which this page is without: 'ctm card replay' has it"
            );
        }
    }
    let mut unknown = header;
    unknown[16..21].copy_from_slice(b"other");
    let Err(error) = TraceView::open(unknown) else { panic!("there is no such card") };
    assert!(error.to_string().contains("unknown card \"other\" in the trace; known are rv515"), "{error}");
}
