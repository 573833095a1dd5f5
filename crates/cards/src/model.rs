//! Models of cards, and what their submissions say.

use ctm_card::listing::Line;
use ctm_card::{Draw, Identity, Kernel, PixelPlaces, SharedImage, Submission, SubmissionError};
use ctm_memory::Arena;

/// Which chip a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// One of the R5xx family.
    R5xx(ctm_r5xx::Model),
    /// One of the R700 family.
    R700(ctm_r700_card::Model),
    /// One of the first Maxwell generation.
    #[cfg(feature = "gm107")]
    Gm107(ctm_gm107::Model),
}

/// Cards that other builds have.
const LEFT_OUT: &[&str] = if cfg!(feature = "gm107") { &[] } else { &["gm107"] };

impl Model {
    /// Every model.
    pub fn all() -> impl Iterator<Item = Model> {
        let models = ctm_r5xx::Model::ALL.into_iter().map(Model::R5xx);
        let models = models.chain(ctm_r700_card::Model::ALL.into_iter().map(Model::R700));
        #[cfg(feature = "gm107")]
        let models = models.chain(ctm_gm107::Model::ALL.into_iter().map(Model::Gm107));
        models
    }

    /// The model of this name.
    pub fn named(name: &str) -> Option<Model> {
        Model::all().find(|model| model.identity().name == name)
    }

    /// The names of all models, for people.
    pub fn names() -> String {
        Model::all().map(|model| model.identity().name).collect::<Vec<_>>().join(", ")
    }

    /// Whether the card of this name is one that this build was made without.
    pub fn is_left_out(name: &str) -> bool {
        LEFT_OUT.contains(&name)
    }

    /// What drivers learn of it.
    pub const fn identity(self) -> Identity {
        match self {
            Model::R5xx(model) => model.identity(),
            Model::R700(model) => model.identity(),
            #[cfg(feature = "gm107")]
            Model::Gm107(model) => model.identity(),
        }
    }

    /// Whether it executes what drivers submit to the other: whether they are of one family.
    pub const fn takes_submissions_of(self, other: Model) -> bool {
        match (self, other) {
            (Model::R5xx(_), Model::R5xx(_)) | (Model::R700(_), Model::R700(_)) => true,
            #[cfg(feature = "gm107")]
            (Model::Gm107(_), Model::Gm107(_)) => true,
            #[cfg(feature = "gm107")]
            (Model::Gm107(_), Model::R5xx(_) | Model::R700(_)) | (Model::R5xx(_) | Model::R700(_), Model::Gm107(_)) => {
                false
            }
            (Model::R5xx(_), Model::R700(_)) | (Model::R700(_), Model::R5xx(_)) => false,
        }
    }

    /// Colour buffers that a draw can have.
    pub const fn colour_buffers(self) -> usize {
        match self {
            Model::R5xx(_) => 4,
            Model::R700(_) => 8,
            #[cfg(feature = "gm107")]
            Model::Gm107(_) => 8,
        }
    }

    /// Whether commands lie in memory, and not in the words of submissions.
    pub const fn has_commands_in_memory(self) -> bool {
        match self.identity().kernel {
            Kernel::Radeon => false,
            Kernel::Nouveau => true,
        }
    }

    /// How many dwords of commands a submission has: what [`Draw`]s and [`Card::resume`](crate::Card::resume) count.
    pub fn length(self, submission: &Submission) -> usize {
        match self {
            Model::R5xx(_) | Model::R700(_) => submission.words.len(),
            #[cfg(feature = "gm107")]
            Model::Gm107(_) => ctm_gm107::pushes::length(submission.words),
        }
    }

    /// The words of a submission that ends after so many dwords of commands.
    pub fn cut(self, submission: &Submission, end: usize) -> Vec<u32> {
        match self {
            Model::R5xx(_) | Model::R700(_) => submission.words[..end.min(submission.words.len())].to_vec(),
            #[cfg(feature = "gm107")]
            Model::Gm107(_) => ctm_gm107::pushes::cut(submission.words, end),
        }
    }

    /// The draws of a submission whose objects lie in this memory, found without executing it.
    ///
    /// # Errors
    /// The card rejects the submission.
    #[cfg_attr(not(feature = "gm107"), expect(unused_variables, reason = "commands of the others do not lie there"))]
    pub fn draws(self, submission: &Submission, memory: &Arena) -> Result<Vec<Draw>, SubmissionError> {
        match self {
            Model::R5xx(_) => ctm_r5xx::draws(submission)
                .map_err(|error| SubmissionError { at: error.at, message: error.cause.to_string() }),
            Model::R700(_) => ctm_r700_card::draws(submission)
                .map_err(|error| SubmissionError { at: error.at, message: error.cause.to_string() }),
            #[cfg(feature = "gm107")]
            Model::Gm107(_) => ctm_gm107::draws(submission, memory),
        }
    }

    /// The lines of a submission, with what its objects hold: there may be programs in them.
    pub fn listing(self, submission: &Submission, memory: &Arena) -> Vec<Line> {
        match self {
            Model::R5xx(_) => ctm_r5xx::listing::listing(submission.words),
            Model::R700(_) => ctm_r700_card::listing(submission, memory),
            #[cfg(feature = "gm107")]
            Model::Gm107(_) => ctm_gm107::listing(submission, memory),
        }
    }

    /// Where the pixels of a shared object lie; `None` if they lie row by row.
    pub fn pixel_places(self, image: &SharedImage) -> Option<PixelPlaces> {
        match self {
            Model::R5xx(_) => ctm_r5xx::pixel_places(image),
            Model::R700(_) => ctm_r700_card::pixel_places(image),
            #[cfg(feature = "gm107")]
            Model::Gm107(_) => ctm_gm107::pixel_places(image),
        }
    }
}
