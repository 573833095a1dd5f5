//! The card as programs use it.

use ctm_card::Card as _;
use ctm_gm107::{Card, Model};

#[test]
fn drivers_know_the_card() {
    let identity = Card::new(Model::Gm107).identity();
    assert_eq!((identity.name, identity.device, identity.driver), ("gm107", 0x1380, "nouveau"));
}
