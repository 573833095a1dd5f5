//! `ctm import`.

use crate::args::ImportMesaArgs;
use crate::outputs::{Form, Sink};
use crate::report::{Location, Message};
use crate::{Console, Failure, source};
use ctm_object::mesa;

/// Turns a program of a Mesa dump into assembly.
pub fn import_mesa(args: &ImportMesaArgs, console: &mut Console) -> Result<(), Failure> {
    let dump = source::text_file(console.host, &args.dump)?.text;
    let (imported, count) = match args.index {
        Some(index) => (mesa::import_nth(&dump, index), None),
        None => (mesa::import(&dump), Some(mesa::count(&dump))),
    };
    let wrong = |error: mesa::MesaError| Message::error(error.to_string()).at(Location::File(source::name(&args.dump)));
    let assembly = imported.map_err(wrong)?;
    if let Some(count) = count.filter(|&count| count > 1) {
        console.report(&Message::note(format!(
            "the dump has {count} programs; this is the last, --index N gives another"
        )));
    }
    if source::is_standard(&args.output) {
        return Ok(console.out.write_all(assembly.as_bytes())?);
    }
    Sink::store(Form::Assembly, [(&*args.output, assembly.as_bytes())], console)
}
