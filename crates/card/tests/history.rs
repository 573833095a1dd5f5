//! The history of a pixel, kept while draws go on.

use ctm_card::history::{
    CopyHistory, CopyKind, DrawHistory, DrawLog, FragmentHistory, Listing, PixelEvent, PixelLog, PixelWatch,
    PrimitiveHistory, TargetHistory, Vector,
};
use ctm_follow::{
    Address, Event, GroupEnd, InstructionPlace, LaneView, Next, Observer, Participation, Standing, Step, StepPart,
    ValueKind,
};
use std::collections::HashMap;
use std::sync::Arc;

fn primitive(number: u32) -> PrimitiveHistory {
    PrimitiveHistory { number, ..PrimitiveHistory::default() }
}

fn culled(number: u32) -> PixelEvent {
    PixelEvent::Culled(primitive(number))
}

fn numbers(draw: &DrawHistory) -> Vec<u32> {
    draw.events.iter().map(|event| event.clone().primitive_mut().number).collect()
}

fn pixel_log(steps: u64) -> PixelLog {
    PixelLog::new(PixelWatch { x: 3, y: 5, steps })
}

#[test]
fn draws_that_do_nothing_to_the_pixel_leave_no_history() {
    let mut pixel_log = pixel_log(0);
    let targets = vec![TargetHistory { number: 1, address: Some(0x1000) }];
    for (at, events) in [(10, 2), (20, 0), (30, 1)] {
        let draw_log = DrawLog::new(&pixel_log, at, targets.clone());
        assert_eq!((draw_log.pixel(), draw_log.events()), ((3, 5), 0));
        for event in 0..events {
            assert_eq!(draw_log.push(culled(event)), event as usize);
            assert_eq!(draw_log.events(), event as usize + 1);
        }
    }
    assert_eq!(pixel_log.pixel(), (3, 5));
    let draws = pixel_log.take();
    assert_eq!(
        draws.iter().map(|draw| (draw.at, numbers(draw))).collect::<Vec<_>>(),
        [(10, vec![0, 1]), (30, vec![0])]
    );
    assert!(draws.iter().all(|draw| draw.targets == targets));
    assert!(pixel_log.take().is_empty(), "what was taken is gone");
}

#[test]
fn events_are_completed_when_their_primitive_has_been_drawn() {
    let mut pixel_log = pixel_log(0);
    DrawLog::new(&pixel_log, 1, Vec::new()).push(culled(7));
    let draw_log = DrawLog::new(&pixel_log, 2, Vec::new());
    let raise = |by: u32| move |event: &mut PixelEvent| event.primitive_mut().number += by;
    draw_log.complete(0, raise(1000));
    draw_log.amend(0, raise(1000));
    draw_log.begin_primitive(primitive(40));
    assert_eq!(draw_log.primitive().number, 40);
    (0..3).for_each(|_| _ = draw_log.push(PixelEvent::Culled(draw_log.primitive())));
    draw_log.complete(1, raise(1));
    draw_log.amend(2, raise(10));
    draw_log.amend(3, |_| panic!("there are three"));
    let draws = pixel_log.take();
    assert_eq!(draws.iter().map(numbers).collect::<Vec<_>>(), [vec![7], vec![40, 41, 51]]);
}

#[test]
fn every_event_has_its_primitive() {
    let copy = CopyHistory {
        kind: CopyKind::Resolve,
        primitive: primitive(2),
        place: (0, 0),
        samples: Vec::new(),
        before: [0; 4],
        result: [0; 4],
        after: [0; 4],
    };
    let fragment = FragmentHistory {
        primitive: primitive(1),
        covered: 1,
        visible: 1,
        hidden: None,
        early: false,
        program: None,
        alpha: None,
        samples: Vec::new(),
    };
    let events = [PixelEvent::Fragment(Box::new(fragment)), PixelEvent::Copy(copy), culled(3)];
    assert_eq!(events.map(|mut event| event.primitive_mut().number), [1, 2, 3]);
    let vectors = [Vector::new("a", [1; 4]), Vector::words("b", [2; 4])];
    let parts = vectors.map(|vector| (vector.name, vector.kind, vector.bits));
    assert_eq!(parts, [("a".into(), ValueKind::Float, [1; 4]), ("b".into(), ValueKind::Word, [2; 4])]);
}

fn listing() -> Listing {
    let clause = InstructionPlace { at: 4.into(), in_clause: true };
    let texts = [(4.into(), "ALU".to_owned()), (clause, "MOV".to_owned())];
    Listing { stage: "fragment", texts: HashMap::from(texts), address: |at| at.pc.to_string(), width: 9 }
}

#[test]
fn texts_of_steps() {
    let listing = listing();
    let text = |pc: u32, part| listing.text(Address::from(pc), part);
    assert_eq!([StepPart::Whole, StepPart::Begin, StepPart::Clause].map(|part| text(4, part)), ["ALU", "ALU", "MOV"]);
    assert_eq!(text(4, StepPart::End), "  end of ALU");
    assert_eq!(text(5, StepPart::Whole), "an instruction that no path to here shows");
    assert_eq!(text(5, StepPart::End), "  end of ");
    assert_eq!(listing, Listing { address: |_| String::new(), ..listing.clone() });
    assert_ne!(listing, Listing { stage: "vertex", ..listing.clone() });
    assert_ne!(listing, Listing { width: 8, ..listing.clone() });
    assert_ne!(listing, Listing { texts: HashMap::new(), ..listing.clone() });
}

/// So many steps of a run are kept as are wanted, and its start and end besides.
#[test]
fn recorders_keep_as_many_steps_as_are_wanted() {
    let view = |active| LaneView { cells: Vec::new(), standing: Standing::Active, active, pass: None };
    let step = |number| {
        let participation = Participation::Executes;
        Step {
            number,
            event: Event { at: 4.into(), part: StepPart::Whole, participation, held: String::new(), flow: false },
            next: Next::Following,
            changes: Vec::new(),
            results: Vec::new(),
            accesses: Vec::new(),
            standing: [Standing::Active; 2],
            active: [1; 2],
            pass: [None; 2],
        }
    };
    let end = || GroupEnd { view: view(3), writes: Vec::new(), lanes: 4, steps: 9, trap: None };
    let listing = Arc::new(listing());
    for wanted in [0, 2, 5] {
        let pixel_log = pixel_log(wanted);
        let draw_log = DrawLog::new(&pixel_log, 0, Vec::new());
        assert_eq!(draw_log.follows(), wanted > 0);
        let mut step_log = draw_log.step_log();
        step_log.starts(&view(1));
        let kept = (1..=3).take_while(|&number| {
            let wants = step_log.wants_steps();
            if wants {
                step_log.step(&step(number));
            }
            wants
        });
        assert_eq!(kept.count() as u64, wanted.min(3));
        step_log.ends(&end());
        let run = step_log.run(&listing, "pixel 3, 5".into()).expect("it ran");
        assert_eq!(
            run.steps.iter().map(|step| step.number).collect::<Vec<_>>(),
            (1..=wanted.min(3)).collect::<Vec<_>>()
        );
        assert_eq!((run.start, run.end, run.lane.as_str()), (view(1), end(), "pixel 3, 5"));
        assert!(Arc::ptr_eq(&run.listing, &listing));
    }
    // A lane that no group has did not run.
    let pixel_log = pixel_log(1);
    let draw_log = DrawLog::new(&pixel_log, 0, Vec::new());
    assert!(draw_log.step_log().run(&listing, String::new()).is_none());
    let mut started = draw_log.step_log();
    started.starts(&view(1));
    assert!(started.run(&listing, String::new()).is_none());
}
