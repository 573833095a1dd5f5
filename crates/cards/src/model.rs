//! Models of cards, and what their submissions say.

use ctm_card::listing::Line;
use ctm_card::{Draw, Identity, PixelPlaces, SharedImage, Submission, SubmissionError};
use ctm_memory::Arena;

/// Which chip a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// One of the R5xx family.
    R5xx(ctm_r5xx::Model),
    /// One of the R700 family.
    R700(ctm_r700_card::Model),
}

impl Model {
    /// Every model.
    pub fn all() -> impl Iterator<Item = Model> {
        let r5xx = ctm_r5xx::Model::ALL.into_iter().map(Model::R5xx);
        r5xx.chain(ctm_r700_card::Model::ALL.into_iter().map(Model::R700))
    }

    /// The model of this name.
    pub fn named(name: &str) -> Option<Model> {
        Model::all().find(|model| model.identity().name == name)
    }

    /// The names of all models, for people.
    pub fn names() -> String {
        Model::all().map(|model| model.identity().name).collect::<Vec<_>>().join(", ")
    }

    /// What drivers learn of it.
    pub const fn identity(self) -> Identity {
        match self {
            Model::R5xx(model) => model.identity(),
            Model::R700(model) => model.identity(),
        }
    }

    /// Whether it executes what drivers submit to the other: whether they are of one family.
    pub const fn takes_submissions_of(self, other: Model) -> bool {
        matches!((self, other), (Model::R5xx(_), Model::R5xx(_)) | (Model::R700(_), Model::R700(_)))
    }

    /// Colour buffers that a draw can have.
    pub const fn colour_buffers(self) -> usize {
        match self {
            Model::R5xx(_) => 4,
            Model::R700(_) => 8,
        }
    }

    /// The draws of a submission, found without executing it.
    ///
    /// # Errors
    /// The card rejects the submission.
    pub fn draws(self, submission: &Submission) -> Result<Vec<Draw>, SubmissionError> {
        match self {
            Model::R5xx(_) => ctm_r5xx::draws(submission)
                .map_err(|error| SubmissionError { at: error.at, message: error.cause.to_string() }),
            Model::R700(_) => ctm_r700_card::draws(submission)
                .map_err(|error| SubmissionError { at: error.at, message: error.cause.to_string() }),
        }
    }

    /// The lines of a submission, with what its objects hold: there may be programs in them.
    pub fn listing(self, submission: &Submission, memory: &Arena) -> Vec<Line> {
        match self {
            Model::R5xx(_) => ctm_r5xx::listing::listing(submission.words),
            Model::R700(_) => ctm_r700_card::listing(submission, memory),
        }
    }

    /// Where the pixels of a shared object lie; `None` if they lie row by row.
    pub fn pixel_places(self, image: &SharedImage) -> Option<PixelPlaces> {
        match self {
            Model::R5xx(_) => ctm_r5xx::pixel_places(image),
            Model::R700(_) => ctm_r700_card::pixel_places(image),
        }
    }
}
