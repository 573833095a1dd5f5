//! What programs read and write by handles: textures with their samplers, and images.
