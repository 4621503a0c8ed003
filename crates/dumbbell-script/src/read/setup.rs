//! The lines that say which end is tested and how it is configured.
use super::{script_error, trouble_at};
use crate::tokens::Token;
use crate::{ScriptError, Side};
use dumbbell_algos::cc;
use dumbbell_core::catalogue::{self, Fault, nearest};
use dumbbell_tcp::{Sender, TcpConfig};
use serde_json::{Map, Value, json};

/// The setup of a script.
pub struct Setup {
    pub side: Side,
    pub config: TcpConfig,
    pub cc: (String, Value),
}

/// The side that a setup line begins with.
pub fn side(word: &str) -> Option<Side> {
    match word {
        "sender" => Some(Side::Sender),
        "receiver" => Some(Side::Receiver),
        _ => None,
    }
}

/// Payload of a segment if a script says nothing of the MSS, bytes.
const PAYLOAD: u64 = 1000;

/// `KEY=VALUE` words of all setup lines, by where they belong.
#[derive(Default)]
struct Said<'a> {
    tcp: Vec<(&'a str, Value, Token<'a>)>,
    cc_options: Vec<(&'a str, Value, Token<'a>)>,
    cc: Option<Token<'a>>,
    profile: Option<Token<'a>>,
}

/// Reads the setup lines; `end` is the length of the text.
pub fn read(lines: &[Vec<Token<'_>>], end: usize) -> Result<Setup, ScriptError> {
    let Some(side) = lines.first().and_then(|l| side(l[0].text)) else {
        return Err(trouble_at((0, end.min(1)), "a script begins with the end that it tests")
            .fix("write `sender` or `receiver` first, as in `sender cc=newreno sack=false`"));
    };
    let mut said = Said::default();
    for words in lines {
        if self::side(words[0].text) != Some(side) {
            return Err(script_error(&words[0], "a script tests one end").fix("write two scripts"));
        }
        for word in &words[1..] {
            take(word, &mut said)?;
        }
    }
    let config = tcp(&said)?;
    let plain = if config.sack { "sack" } else { "newreno" };
    let name = said.cc.map_or(plain, |w| &w.text["cc=".len()..]);
    let options = congestion_control(name, &said)?;
    let recovery = cc::AnyCc::build(name, &options, &Sender::<cc::AnyCc>::path(&config)).ok();
    let implied = recovery.map(|c| dumbbell_core::transport::CongestionControl::tcp_overrides(&c));
    let config =
        config.with_overrides(implied.filter(|_| side == Side::Sender).unwrap_or_default());
    Ok(Setup { side, config, cc: (name.into(), options) })
}

fn take<'a>(word: &Token<'a>, said: &mut Said<'a>) -> Result<(), ScriptError> {
    let Some((key, value)) =
        word.text.split_once('=').filter(|(k, v)| !k.is_empty() && !v.is_empty())
    else {
        return Err(script_error(word, format!("`{}` is no KEY=VALUE", word.text))
            .fix("write them without spaces: sack=false mss=1000B"));
    };
    match key {
        "cc" => said.cc = Some(*word),
        "profile" => said.profile = Some(*word),
        _ => match key.strip_prefix("cc.") {
            Some(option) => said.cc_options.push((option, read_value(value), *word)),
            None => said.tcp.push((key, read_value(value), *word)),
        },
    }
    Ok(())
}

/// `true`, a number, or text: a size, a time, a name.
fn read_value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.into()))
}

/// The profile (`rfc`), with plain defaults for scripts, with what the script says.
fn tcp(said: &Said<'_>) -> Result<TcpConfig, ScriptError> {
    let profile = said.profile.map_or("rfc", |w| &w.text["profile=".len()..]);
    let Some(base) = TcpConfig::profile(profile) else {
        let word = said.profile.unwrap_or(Token { text: "", from: 0, to: 1 });
        return Err(script_error(&word, format!("there is no profile `{profile}`"))
            .fix(format!("known are {}", TcpConfig::PROFILES.join(", "))));
    };
    let says = |key: &str| said.tcp.iter().find(|(k, ..)| *k == key).map(|(_, v, _)| v);
    let timestamps = says("timestamps") == Some(&Value::Bool(true));
    let mut fields = match serde_json::to_value(base) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let options = if timestamps { 12 } else { 0 };
    for (key, value) in [
        ("mss", json!(format!("{} B", PAYLOAD + options))),
        ("handshake", json!(false)),
        ("timestamps", json!(false)),
        ("clock", json!("0 s")),
    ] {
        fields.insert(key.into(), value);
    }
    if says("sack") == Some(&Value::Bool(false)) && says("recovery").is_none() {
        fields.insert("recovery".into(), json!("newreno"));
    }
    for (key, value, _) in &said.tcp {
        fields.insert((*key).into(), value.clone());
    }
    catalogue::read::<TcpConfig>(&Value::Object(fields))
        .map_err(|fault| at_fault(&fault, &said.tcp))
}

/// The options of the congestion control, with its defaults.
fn congestion_control(name: &str, said: &Said<'_>) -> Result<Value, ScriptError> {
    let Some(entry) = cc::CATALOGUE.iter().find(|e| e.about.name == name) else {
        let names: Vec<&str> = cc::CATALOGUE.iter().map(|e| e.about.name).collect();
        let word = said.cc.unwrap_or(Token { text: "", from: 0, to: 1 });
        let script_error = script_error(&word, format!("there is no congestion control `{name}`"));
        return Err(match nearest(name, &names) {
            Some(known) => script_error.fix(format!("did you mean `{known}`?")),
            None => script_error.fix(format!("known are {}", names.join(", "))),
        });
    };
    let options: Map<String, Value> =
        said.cc_options.iter().map(|(k, v, _)| ((*k).into(), v.clone())).collect();
    let options = (entry.resolve)(&Value::Object(options))
        .map_err(|fault| at_fault(&fault, &said.cc_options))?;
    Ok(options)
}

/// A fault of a configuration, at the word that said it.
fn at_fault(fault: &Fault, words: &[(&str, Value, Token<'_>)]) -> ScriptError {
    let key = fault.at.split('.').next().unwrap_or_default();
    let word = words.iter().find(|(k, ..)| *k == key).or(words.first()).map(|w| w.2);
    let place = word.map_or((0, 1), |w| (w.from, w.to));
    ScriptError { fix: fault.fix.clone(), ..trouble_at(place, fault.cause.clone()) }
}
