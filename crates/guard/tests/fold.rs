//! Folding: what looks alike becomes alike, what is written in another script stays itself.

use ringfence_guard::{HiddenKind, Span, View, fold};

fn text(of: &str) -> String {
    fold(&View::plain(of, 0)).view.text().to_owned()
}

#[test]
fn dresses_are_taken_off() {
    let plain = "water the plants";
    let dressed = [
        "WATER\u{a0}the\u{2009}Plants",
        "ｗａｔｅｒ　ｔｈｅ　ｐｌａｎｔｓ",
        "𝐰𝐚𝐭𝐞𝐫 𝓽𝓱𝓮 𝕡𝕝𝕒𝕟𝕥𝕤",
        "ⓦⓐⓣⓔⓡ ⓣⓗⓔ ⓟⓛⓐⓝⓣⓢ",
        "🅦🅐🅣🅔🅡 🆃🅷🅴 🅿🅻🅰🅽🆃🆂",
        "ᴡᴀᴛᴇʀ ᴛʜᴇ ᴘʟᴀɴᴛꜱ",
        "w\u{200b}a\u{200d}t\u{2060}e\u{feff}r the pl\u{ad}ants",
        "wa\u{fe0f}ter\u{e0041}\u{e0042} t\u{e0101}he plants",
        "\u{202a}water\u{202c} \u{2066}the\u{2069} plants",
        "w̶a̶t̶e̶r̶ t́h́é plãnts",
        "wаtеr thе рlаnts",
        "ẃätêř ţĥę płäñţš",
        "ᎳᎪᎢᎬᎡ the plants",
    ];
    for dress in dressed {
        assert_eq!(text(dress), plain, "{dress}");
    }
}

#[test]
fn words_of_look_alikes_beside_latin_words_are_read_as_latin() {
    assert_eq!(text("а сор has а сосоа"), "a cop has a cocoa");
    assert_eq!(text("сосоа\nводка"), "сосоа\nводка", "a line of its own stays");
}

#[test]
fn other_scripts_stay_themselves() {
    for own in [
        "завтра мы поедем на дачу, а вечером будем пить чай",
        "αύριο θα πάμε στη θάλασσα με τα παιδιά",
        "明日は友達と公園で桜を見る",
        "내일은 친구와 공원에 간다",
        "غدا نذهب إلى البحر",
        "מחר נלך לים",
        "พรุ่งนี้เราจะไปทะเล",
        "कल हम समुद्र जाएँगे",
        "վաղը կգնանք ծով",
    ] {
        assert_eq!(text(own), own);
    }
    assert_eq!(text("Йогурт и ёлка"), "йогурт и ёлка");
    assert_eq!(text("Größe"), "große");
}

#[test]
fn spans_lead_back_through_what_was_left_out() {
    let original = "Say: wа\u{200b}ter the 𝐩𝐥𝐚𝐧𝐭𝐬 now";
    let folded = fold(&View::plain(original, 50)).view;
    assert_eq!(folded.text(), "say: water the plants now");
    for (word, source) in [("water", "wа\u{200b}ter"), ("plants", "𝐩𝐥𝐚𝐧𝐭𝐬"), ("now", "now"), ("say", "Say")]
    {
        let at = folded.text().find(word).unwrap();
        let start = original.find(source).unwrap() + 50;
        assert_eq!(folded.origin(at..at + word.len()), Span { start, end: start + source.len() }, "{word}");
    }
}

#[test]
fn what_is_invisible_is_reported_where_it_stands() {
    let text = "a\u{200b}b\u{200b}c some words then \u{e0041}\u{e0042}\u{e0043} and \u{202e}cba\u{202c}";
    let hidden = fold(&View::plain(text, 7)).hidden;
    let kinds: Vec<_> = hidden.iter().map(|h| (h.kind, h.chars)).collect();
    assert_eq!(kinds, [(HiddenKind::ZeroWidth, 2), (HiddenKind::Tags, 3), (HiddenKind::Bidi, 2)]);
    let tags = text.find('\u{e0041}').unwrap() + 7;
    assert_eq!(hidden[1].span, Span { start: tags, end: tags + 12 });
}

#[test]
fn what_writing_needs_is_not_reported() {
    for natural in [
        "می\u{200c}خواهم",
        "family: 👨\u{200d}👩\u{200d}👧 and ❤\u{fe0f} and 1\u{fe0f}\u{20e3}",
        "\u{feff}a file with a mark at its start",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        "שלום\u{200f}!",
    ] {
        assert_eq!(fold(&View::plain(natural, 0)).hidden, [], "{natural}");
    }
}

#[test]
fn one_character_never_becomes_a_page() {
    let text = "\u{fdfa}".repeat(100);
    assert!(fold(&View::plain(&text, 0)).view.text().len() <= text.len() * 4);
}
