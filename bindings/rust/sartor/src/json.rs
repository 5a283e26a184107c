// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A parser and writer of the subset of JSON that the library uses.

use core::fmt;
use std::string::{String, ToString};
use std::vec::Vec;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The value `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number as its text, so that 64-bit integers keep their precision.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object: named values, in their order.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Parses a whole text; nothing if it is not JSON.
    pub fn read(text: &str) -> Option<Value> {
        let mut reader = Reader { rest: text };
        let value = reader.value(0)?;
        reader.skip_blanks();
        reader.rest.is_empty().then_some(value)
    }
    /// The member of an object with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
    /// The members of an object.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        let members = if let Value::Object(members) = self { members.as_slice() } else { &[] };
        members.iter().map(|(name, value)| (name.as_str(), value))
    }
    /// The elements of a list.
    pub fn elements(&self) -> &[Value] {
        if let Value::List(elements) = self {
            elements
        } else {
            &[]
        }
    }
    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }
    /// The value of a number.
    pub fn number(&self) -> Option<f64> {
        if let Value::Number(digits) = self {
            digits.parse().ok()
        } else {
            None
        }
    }
    /// The exact value of a number without a sign or a fraction.
    pub fn integer(&self) -> Option<u64> {
        if let Value::Number(digits) = self {
            digits.parse().ok()
        } else {
            None
        }
    }
}

/// Formats a text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter < ' ' => out += &std::format!("\\u{:04x}", letter as u32),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |out: &mut fmt::Formatter<'_>, i: usize| if i > 0 { out.write_str(",") } else { Ok(()) };
        match self {
            Value::Null => out.write_str("null"),
            Value::Bool(value) => write!(out, "{value}"),
            Value::Number(digits) => out.write_str(digits),
            Value::Text(text) => out.write_str(&quoted(text)),
            Value::List(elements) => {
                out.write_str("[")?;
                for (i, element) in elements.iter().enumerate() {
                    join(out, i)?;
                    write!(out, "{element}")?;
                }
                out.write_str("]")
            }
            Value::Object(members) => {
                out.write_str("{")?;
                for (i, (name, value)) in members.iter().enumerate() {
                    join(out, i)?;
                    write!(out, "{}:{value}", quoted(name))?;
                }
                out.write_str("}")
            }
        }
    }
}

const DEEPEST: usize = 64;

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }
    fn take(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        self.skip_blanks();
        match self.rest.chars().next()? {
            '"' => self.string().map(Value::Text),
            '[' => {
                self.take("[");
                let mut elements = Vec::new();
                while !self.take("]") {
                    if !elements.is_empty() && !self.take(",") {
                        return None;
                    }
                    elements.push(self.value(depth + 1)?);
                }
                Some(Value::List(elements))
            }
            '{' => {
                self.take("{");
                let mut members = Vec::new();
                while !self.take("}") {
                    if !members.is_empty() && !self.take(",") {
                        return None;
                    }
                    self.skip_blanks();
                    let name = self.string()?;
                    if !self.take(":") {
                        return None;
                    }
                    members.push((name, self.value(depth + 1)?));
                }
                Some(Value::Object(members))
            }
            _ => self.word(),
        }
    }
    fn word(&mut self) -> Option<Value> {
        for (word, value) in
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
        {
            if self.take(word) {
                return Some(value);
            }
        }
        let end = self
            .rest
            .find(|letter: char| !matches!(letter, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        digits.parse::<f64>().ok()?;
        self.rest = rest;
        Some(Value::Number(digits.to_string()))
    }
    fn string(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut letters = self.rest.strip_prefix('"')?.chars();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => match letters.next()? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'b' => text.push('\u{8}'),
                    'f' => text.push('\u{c}'),
                    'u' => text.push(Self::escaped(&mut letters)?),
                    other => text.push(other),
                },
                other => text.push(other),
            }
        }
        self.rest = letters.as_str();
        Some(text)
    }
    fn escaped(letters: &mut core::str::Chars<'_>) -> Option<char> {
        let mut unit = || {
            let digits = letters.as_str().get(..4)?;
            *letters = letters.as_str()[4..].chars();
            u16::from_str_radix(digits, 16).ok()
        };
        let first = unit()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first.into());
        }
        if !letters.as_str().starts_with("\\u") {
            return None;
        }
        *letters = letters.as_str()[2..].chars();
        let mut unit = || {
            let digits = letters.as_str().get(..4)?;
            *letters = letters.as_str()[4..].chars();
            u16::from_str_radix(digits, 16).ok()
        };
        char::decode_utf16([first, unit()?]).next()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in
            ["null", "[]", r#"{"a":[1,-2.5e3,true,null],"b\"":"\\ é"}"#, r#"[18446744073709551615,{"x":{}}]"#]
        {
            assert_eq!(Value::read(text).unwrap().to_string(), text);
        }
        assert_eq!(Value::read("18446744073709551615").unwrap().integer(), Some(u64::MAX));
        assert_eq!(Value::read("-1").unwrap().integer(), None);
        assert_eq!(Value::read(r#" "\ud83d\ude00\n" "#).unwrap().text(), Some("😀\n"));
    }

    #[test]
    fn what_is_no_json_is_nothing() {
        for text in ["", "[1", "{\"a\"}", "1 2", "\"\\ud83d\"", "\"\\u00g0\"", "[1,]", &"[".repeat(100)] {
            assert_eq!(Value::read(text), None, "{text}");
        }
    }
}
