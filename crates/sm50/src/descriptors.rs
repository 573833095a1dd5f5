//! What handles name: textures with their samplers, and images.
//!
//! A handle names a header of a texture by its lower twenty bits, and one of a sampler by its upper twelve. Launches know some of what they name from the
//! beginning; a card finds the others in its memory when programs ask for them ([`Descriptors`]).

use crate::images::Image;
use crate::textures::SharedTexture;
use std::fmt::Debug;

/// The headers that handles name.
pub trait Descriptors: Debug + Send + Sync {
    /// The texture with the sampler that a handle names; `None` if it names nothing.
    fn texture(&self, handle: u32) -> Option<SharedTexture>;

    /// The image that a handle names; `None` if it names nothing that programs can store to.
    fn image(&self, handle: u32) -> Option<Image>;
}
