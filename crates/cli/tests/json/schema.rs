//! Validation by JSON Schema, as far as `docs/json.schema.json` goes, and the page that is made from it.

use crate::json::common::project;
use serde_json::{Map, Value};

/// The keywords that [`Schema::explain`] knows, and those that say nothing of values.
const KEYWORDS: [&str; 14] = [
    "$ref",
    "type",
    "const",
    "enum",
    "anyOf",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "description",
    "$schema",
    "title",
    "$defs",
    "default",
];

/// The schema of the documentation.
pub struct Schema(Value);

impl Schema {
    /// Reads it.
    pub fn read() -> Self {
        let text = std::fs::read_to_string(project("docs/json.schema.json")).expect("the schema");
        Schema(serde_json::from_str(&text).expect("JSON"))
    }

    fn definitions(&self) -> &Map<String, Value> {
        self.0["$defs"].as_object().expect("definitions")
    }

    /// Why a value is not what a definition says; without a name, not what any command prints.
    pub fn explain(&self, name: Option<&str>, value: &Value) -> Option<String> {
        let schema = name.map_or(&self.0, |name| self.definitions().get(name).expect("a definition of this name"));
        self.wrong(schema, value, "$")
    }

    /// Where a value breaks a schema, and how.
    fn wrong(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        let Some(schema) = schema.as_object() else {
            return (schema == &Value::Bool(false)).then(|| format!("{at} is not known"));
        };
        if let Some(keyword) = schema.keys().find(|keyword| !KEYWORDS.contains(&keyword.as_str())) {
            return Some(format!("the schema says {keyword}, which this test does not know"));
        }
        let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
        if let Some(name) = schema.get("$ref") {
            let name = name.as_str().and_then(|name| name.strip_prefix("#/$defs/")).expect("a reference");
            return self.wrong(&self.definitions()[name], value, at);
        }
        if let Some(types) = schema.get("type")
            && !types.as_array().map_or(vec![types], |types| types.iter().collect()).iter().any(|name| is(name, value))
        {
            return Some(format!("{at} is {value}, not {types}"));
        }
        if schema.get("const").is_some_and(|wanted| wanted != value)
            || list("enum").next().is_some() && !list("enum").any(|one| one == value)
        {
            return Some(format!("{at} is {value}"));
        }
        let choices: Vec<_> = list("anyOf").map(|choice| self.wrong(choice, value, at)).collect();
        if !choices.is_empty() && choices.iter().all(Option::is_some) {
            return Some(format!(
                "{at} is nothing of: {}",
                choices.into_iter().flatten().collect::<Vec<_>>().join("; ")
            ));
        }
        if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
            let wrong = |(n, value)| self.wrong(items, value, &format!("{at}[{n}]"));
            return values.iter().enumerate().find_map(wrong);
        }
        let members = value.as_object()?;
        if let Some(missing) = list("required").find(|name| !members.contains_key(name.as_str().unwrap_or_default())) {
            return Some(format!("{at} has no {missing}"));
        }
        let others = schema.get("additionalProperties").unwrap_or(&Value::Bool(true));
        members.iter().find_map(|(name, value)| {
            let member = schema.get("properties").and_then(|all| all.get(name)).unwrap_or(others);
            self.wrong(member, value, &format!("{at}.{name}"))
        })
    }

    /// The page: every definition with its members.
    pub fn page(&self) -> String {
        let mut page = "# JSON\n\n".to_string();
        page += "`ctm dis`, `check`, `explain`, `info`, `run`, `diff`, `draw` and `card` take `--json`. Results go to standard output, one object; `ctm run --follow --json` and `ctm card` print one\n\
            on each line. Messages go to standard error, one object on each line: errors, warnings and notes alike, also those about the command line\n\
            itself. Exit codes are the same as without. Members are never left out, unless the table says so; an absent value is `null`. Bits of registers\n\
            and words are text like `\"0x3f800000\"`; numbers are integers where they are integers, and `null` where JSON has no such number (infinities, NaN).\n\n\
            [json.schema.json](json.schema.json) says the same to machines, as JSON Schema. This page is made from it by a test of the command line.\n";
        for (name, definition) in self.definitions() {
            let text = |value: &Value| value["description"].as_str().expect("a description").to_string();
            page += &format!("\n## {name}\n\n{}\n\n| member | type | what |\n|---|---|---|\n", text(definition));
            for (member, schema) in definition["properties"].as_object().expect("members") {
                let is_required = definition["required"].as_array().expect("names").iter().any(|name| name == member);
                let may = if is_required { "" } else { "; may be left out" };
                let values: Vec<String> = schema["enum"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|value| format!("`{}`", value.as_str().unwrap_or_default()))
                    .collect();
                let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
                page += &format!("| `{member}` | {} | {}{values}{may} |\n", kind(schema), text(schema));
            }
        }
        page
    }
}

/// Whether a value is of a type by its name.
fn is(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schema says type {other}"),
    }
}

/// The type of a member, for people.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        return format!("[{name}](#{name})");
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        Value::String(name) if name == "array" => format!("array of {}", kind(&schema["items"])),
        Value::String(name) => name.clone(),
        _ => "string".into(),
    }
}
