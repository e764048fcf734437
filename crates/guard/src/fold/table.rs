//! Which letters look like which: the prototypes of Unicode's confusables (UTS 39), grouped by the Latin letter.
//!
//! Only letters that compatibility normalisation leaves alone stand here. Right-to-left scripts are left out.

use std::sync::LazyLock;

/// Latin letters in another dress (strokes, hooks, small capitals, filled circles and squares): always the plain letter.
const LATIN: [(u8, &str); 26] = [
    (b'a', "Ⱥɑᴀᶏⱥꭤ🅐🅰🇦"),
    (b'b', "ƀƁƂƃƄɃɓʙᴃᵬᶀꞖꞗꞴ🅑🅱🇧"),
    (b'c', "ƇƈȻȼɕᴄꞒꞓꞔꟄ🅒🅲🇨"),
    (b'd', "ÐĐđƉƊƋƌȡɖɗᴅᵭᶁᶑꟇꟈ🅓🅳🇩"),
    (b'e', "Ɇɇᴇᶒⱸꬲ🅔🅴🇪"),
    (b'f', "ƑƒʄᵮᶂẝꜰꞘꞙꬵ🅕🅵🇫"),
    (b'g', "ƍƓǤǥɠɡɢʛᶃꞠꞡꞬ🅖🅶🇬"),
    (b'h', "ĦħɦʜⱧⱨꞕꞪ🅗🅷🇭"),
    (b'i', "ıƖƗɨɩɪᵻᵼᶖꞮꟾ🅘🅸🇮"),
    (b'j', "ȷɈɉɟʝᴊꞲ🅙🅹🇯"),
    (b'k', "ĸƘƙᴋᶄⱩⱪꝀꝁꝂꝃꝄꝅꞢꞣ🅚🅺🇰"),
    (b'l', "ŁłƚǀȴȽɫɬɭʟᴌᶅⱠⱡⱢꝈꝉꞁꞎꞭ🅛🅻🇱"),
    (b'm', "ɱᴍᵯᶆⱮꭑ🅜🅼🇲"),
    (b'n', "ŋƝƞȠȵɲɳɴᵰᶇꞐꞑꞤꞥ🅝🅽🇳"),
    (b'o', "ØøƟɵᴏᴑⱺꝊꝋꝌꝍꬽꬾ🅞🅾🇴"),
    (b'p', "ƤƥᴘᵱᵽᶈⱣꝐꝑꝒꝓꝔꝕ🅟🅿🇵"),
    (b'q', "ɋʠꝖꝗꝘꝙꞯ🅠🆀🇶"),
    (b'r', "ƦɌɍɼɽɾʀᵲᵳᶉⱤꞦꞧꭇꭈ🅡🆁🇷"),
    (b's', "ƽȿʂᵴᶊⱾꜱꞨꞩꟅꟉꟊ🅢🆂🇸"),
    (b't', "ŦŧƫƬƭƮȶȾʈᴛᵵⱦ🅣🆃🇹"),
    (b'u', "ɄʋᴜᵾᶙꞟꞸꞹꭎꭒ🅤🆄🇺"),
    (b'v', "ƲᴠⱱⱴꝞꝟ🅥🆅🇻"),
    (b'w', "ɯᴡⱲⱳꝡꟺ🅦🆆🇼"),
    (b'x', "ᶍꞳ🅧🆇🇽"),
    (b'y', "ƳƴɎɏɣʏᶌỾỿꭚ🅨🆈🇾"),
    (b'z', "ƵƶȤȥɀʐʑᴢᵶᶎⱫⱬⱿꟆ🅩🆉🇿"),
];

/// Letters of other scripts that cannot be told from a Latin one.
const STRICT: [(u8, &str); 26] = [
    (b'a', "ΑαАаᎪᗅꓮꭺ𐊠𖽀"),
    (b'b', "ΒВᏏᏴᏼᑲᑳᖯᗷⲂꓐꕗ𐊂𐊡𐌁𐌜"),
    (b'c', "СсҪҫᏟᲃⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔛"),
    (b'd', "ԁᎠᏧᑯᗞᗪꓒꓓꭰ"),
    (b'e', "ΕЕеҽҿᎬⴹꓰꗋꭼ𐊆𑢦𑢮"),
    (b'f', "Ϝքᖴꓝ𐊇𐊥𐔥𑢢𑣂"),
    (b'g', "ԌցᏀᏳᏻꓖꮐ"),
    (b'h', "ΗНћҢҺһӇӉհႹᎻᏂᏲᕼⲎꓧꚕꮋ𐋏"),
    (b'i', "ΙιІіᎥᛁⲒⲓꓲꙇꭵ𐌉𑣃"),
    (b'j', "ͿϳЈјյᎫᒍꓙꭻ"),
    (b'k', "ΚКҚҞᏦᛕⲔꓗꮶ𐔘"),
    (b'l', "ӀӏᏞᒪᛅᛐⳐⵊⵏꓡꕯꮮ𐊊𐐛𐔎𐔦𑢣𑢲𖫤𖼖𖼨"),
    (b'm', "ΜϺМӍՠᎷᗰᛖⲘꓟꮇ𐊰𐌑𑜀"),
    (b'n', "ΝղոռⲚꓠ𐔓𑪾"),
    (b'o', "ΟοϭОоѲѳӨөՕօଠഠჿዐፀᎤᎾᏫᩅᲂᲿⲐⲑⲞⲟⴱⵁⵔꓳꚢꭴꮎꮻ𐊒𐊫𐌏𐐄𐐬𐓂𐓪𐔖𐔞𑄤𑢵𑣈𑣗𖦛𖫩"),
    (b'p', "ΡρϸРрᏢᑭᴩⲢⲣⳎⳏꓑꮲ𐊕"),
    (b'q', "Ԛԛգզⵕ"),
    (b'r', "ᎡᏒᖇᴦⲅꓣꭱꮁꮢ𐒴𖨙𖼵"),
    (b's', "ЅѕՏടႽჽᏕᏚᲽꓢꕶꮪ𐊖𐐠𐑈𑣁𖫖𖼺"),
    (b't', "ΤТҬᎢᎿⲦꓔꔋꚌꭲ𐊗𐊱𐌕𑢼𖼊"),
    (b'u', "υџՍսሀᏌᑌꓴꮜ𐓎𐓶𑢸𑣘𖽂"),
    (b'v', "νѴѵᏙᐯⴸꓦꛟꮩ𐔝𑜆𑢠𑣀𖼈"),
    (b'w', "ѡѽԜԝաᎳᏔⲽꓪꮃꮤ𑓅𑜊𑜎𑜏"),
    (b'x', "ΧХхҲᕁᕽᚷᝣᳵⲬⵝꓫ𐊐𐊴𐌗𐔧"),
    (b'y', "ΥУуҮүҰұყᎩᎽⲨⲩꓬꚲ𐊲𑢤𑣄𑣜𖽃"),
    (b'z', "ΖჍᏃⲌⲍⴭꓜꛉꮓ𐔇𑢩𑪼"),
];

/// Letters of other scripts that pass for a Latin one among Latin letters.
const LOOSE: [(u8, &str); 17] = [
    (b'a', "ΛλДд"),
    (b'b', "βБЬбвъьѢѣҌҍⲃ"),
    (b'e', "ΣξЄЗзє"),
    (b'g', "ԍ"),
    (b'h', "нңӈӊⲏ"),
    (b'i', "ւ"),
    (b'k', "κкқҟⲕ"),
    (b'l', "ⳑ𐑃"),
    (b'm', "мӎⲙ"),
    (b'n', "ηИПипⲛ"),
    (b'o', "Θθσ"),
    (b'r', "Ягяғ"),
    (b't', "τтҭⲧꚍ"),
    (b'u', "μЦц"),
    (b'w', "ωШЩшщ"),
    (b'x', "χ"),
    (b'y', "γЧч"),
];

/// How far a letter may be taken for a Latin one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// It is that letter, dressed up.
    Latin,
    /// It is of another script and looks the same.
    Strict,
    /// It is of another script and looks alike among Latin letters.
    Loose,
}

const PAGES: usize = 0x200;
const PAGE: usize = 0x100;

/// A page of cells for each stretch of 256 code points that has any: letter number plus 32 times the likeness.
struct Table {
    pages: [u8; PAGES],
    cells: Vec<[u8; PAGE]>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { pages: [0; PAGES], cells: vec![[0; PAGE]] };
    for (likeness, groups) in [(0, &LATIN[..]), (32, &STRICT[..]), (64, &LOOSE[..])] {
        for (letter, looks) in groups {
            for c in looks.chars() {
                table.set(c, likeness + (letter - b'a' + 1));
            }
        }
    }
    table
});

impl Table {
    fn set(&mut self, c: char, value: u8) {
        let fresh = u8::try_from(self.cells.len()).unwrap_or(0);
        let Some(page) = self.pages.get_mut(c as usize / PAGE) else { return };
        if *page == 0 {
            *page = fresh;
            self.cells.push([0; PAGE]);
        }
        if let Some(cell) = self.cells.get_mut(usize::from(*page)).and_then(|p| p.get_mut(c as usize % PAGE)) {
            *cell = value;
        }
    }

    fn get(&self, c: char) -> u8 {
        let page = self.pages.get(c as usize / PAGE).copied().unwrap_or(0);
        self.cells.get(usize::from(page)).and_then(|p| p.get(c as usize % PAGE)).copied().unwrap_or(0)
    }
}

/// The Latin letter that `c` looks like, and how much.
pub(super) fn look(c: char) -> Option<(char, Likeness)> {
    let cell = TABLE.get(c);
    let letter = char::from(b'a' + (cell % 32).checked_sub(1)?);
    let likeness = match cell / 32 {
        0 => Likeness::Latin,
        1 => Likeness::Strict,
        _ => Likeness::Loose,
    };
    Some((letter, likeness))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_look_like_what_they_look_like() {
        assert_eq!(look('\u{430}'), Some(('a', Likeness::Strict)));
        assert_eq!(look('\u{456}'), Some(('i', Likeness::Strict)));
        assert_eq!(look('\u{44f}'), Some(('r', Likeness::Loose)));
        assert_eq!(look('\u{1d1b}'), Some(('t', Likeness::Latin)));
        assert_eq!(look('\u{1f170}'), Some(('a', Likeness::Latin)));
        assert_eq!(look('\u{436}'), None);
        assert_eq!(look('a'), None);
        assert_eq!(look('\u{10ffff}'), None);
    }

    #[test]
    fn no_letter_stands_in_two_groups() {
        let mut seen = std::collections::BTreeSet::new();
        for (_, looks) in LATIN.iter().chain(&STRICT).chain(&LOOSE) {
            for c in looks.chars() {
                assert!(seen.insert(c), "{c:?} stands twice");
            }
        }
        assert!(TABLE.cells.len() < 256);
    }
}
