//! Operations and operands as texts spell them.

use super::Operation;

/// The operands of `NAME A, B, C MODIFIERS`: parts between commas up to the first blank, as far as these stand outside of brackets.
pub fn between_commas(text: &str) -> Vec<String> {
    let mut operands = Vec::new();
    let (mut operand, mut depth, mut is_done) = (String::new(), 0_u32, false);
    for letter in text.trim().chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match letter {
            ',' if depth == 0 => {
                operands.push(std::mem::take(&mut operand));
                is_done = false;
            }
            letter if letter.is_whitespace() && depth == 0 => is_done |= !operand.is_empty(),
            letter if !is_done => operand.push(letter),
            _ => {}
        }
    }
    operands.push(operand);
    operands.retain(|operand| !operand.is_empty());
    operands
}

/// The operations of `DESTINATION = NAME A B C, ...`.
pub fn assignments(text: &str) -> Vec<Operation> {
    text.split(',').filter_map(assignment).collect()
}

fn assignment(text: &str) -> Option<Operation> {
    let (destination, rest) = match text.split_once('=') {
        Some((destination, rest)) => (destination.split_whitespace().last(), rest),
        None => (None, text),
    };
    // What stands before the name scales the result: `0.5 * MAD`.
    let mut words = rest.split_whitespace().skip_while(|word| !word.starts_with(|c: char| c.is_ascii_uppercase()));
    let name = words.next()?.split('.').next()?.to_owned();
    let sources = words.take_while(|word| *word != ";");
    Some(Operation { name, operands: destination.into_iter().chain(sources).map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(name: &str, operands: &[&str]) -> Operation {
        Operation { name: name.into(), operands: operands.iter().map(|&operand| operand.to_owned()).collect() }
    }

    #[test]
    fn operands_end_at_blanks_outside_of_brackets() {
        assert_eq!(
            between_commas("R1.y, |R0.z|, (0x40500000, 3.25).x UPDATE_PRED LAST"),
            ["R1.y", "|R0.z|", "(0x40500000, 3.25).x"]
        );
        assert_eq!(between_commas("R0, c[0x0] [0x140]"), ["R0", "c[0x0]"]);
        assert!(between_commas("  ").is_empty());
    }

    #[test]
    fn destinations_come_first_and_scales_are_left_out() {
        assert_eq!(
            assignments(" temp[0].rg = 0.5 * MAD src0.rg0 src1.rg0 -src1.ba0, temp[1].a = RCP src0.a ;"),
            [
                operation("MAD", &["temp[0].rg", "src0.rg0", "src1.rg0", "-src1.ba0"]),
                operation("RCP", &["temp[1].a", "src0.a"])
            ]
        );
        assert_eq!(
            assignments("temp[4].r = SOP, COS src0.r ;"),
            [operation("SOP", &["temp[4].r"]), operation("COS", &["src0.r"])]
        );
        assert_eq!(
            assignments("(p) out[0].xyzw = VE_ADD.SAT input[0] -const[1].x ;"),
            [operation("VE_ADD", &["out[0].xyzw", "input[0]", "-const[1].x"])]
        );
    }
}
