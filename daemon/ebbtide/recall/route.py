"""What a question wants: its language, a type of memory, whether it asks why. Pure; a guess only weighs, it never filters.

Cues are whole words in English and characters in Chinese; the first matching family in the order of the table wins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ebbtide.memory.states import LAYER_OF_TYPE, FactType, Frame, Lang, Layer
from ebbtide.parse.frames import query_frame
from ebbtide.parse.periods import Period, named_periods
from ebbtide.parse.text import fold, language

MAX_QUERY = 2048
"""Characters of a question that are looked at (field.md 5.3: hosts send whole transcripts)."""

_CUES: tuple[tuple[FactType, re.Pattern[str]], ...] = (
    (
        "decision",  # what was decided is asked for, whatever went wrong before
        re.compile(
            r"\b(what|which|how)\b.{0,40}\b(did|have|has) (we|i|you|he|she|they|the team) (decided?|choose|chosen|settled?)\b"
            r"|(决定|选定|敲定)了?(什么|哪|怎么|用什么)",
            re.I,
        ),
    ),
    (
        "lesson",
        re.compile(
            r"\b(fail(s|ed|ing|ure)?|(went|go(es)?) wrong|lessons?|mistakes?|postmortem|broke( down)?|outage|what trouble)\b"
            r"|失败|教训|踩坑|出了什么问题|出过?了?什么(事|岔子|毛病|乱子|故障)|翻车|事故|故障|搞砸|栽跟头|没成(?!为)",
            re.I,
        ),
    ),
    (
        "decision",
        re.compile(
            r"\b(decid(e|ed)|decision|chose|choose|chosen|why (do|did) we (use|have|pick)|(was|been|is|we) settled"
            r"|settled? (on|for)|(go|going|went) with|opt(ed)? for|agreed? on)\b"
            r"|决定|选择了|选了|选定|选中|定了(?!位|义)|定下|定的(?!义)|拍板|敲定|为什么(要|用|选|改)|选型",
            re.I,
        ),
    ),
    (
        "preference",
        re.compile(
            r"\b(prefer(s|red|ence)?|favou?rite|likes?|dislikes?|recommend|(my|your|his|her|their) taste|fond of|rather have)\b"
            r"|喜欢|偏好|习惯|讨厌|推荐|中意|偏爱|更愿意|爱(用|吃|喝|看|听|穿)",
            re.I,
        ),
    ),
    (
        "procedure",
        re.compile(
            r"\b(how (do|to|can|should) (i|we|you|one)|how to|steps?|procedure|instructions?|in (what|which) order"
            r"|what do (i|we|you) do (first|to))\b"
            r"|怎么(做|办|用|设|装|配|换|弄|启用|操作)|如何|步骤|流程|方法|(什么|哪种|怎样的)顺序|先做什么",
            re.I,
        ),
    ),
    (
        "metric",
        re.compile(
            r"\b(how (many|much|long|fast|large)|percent|latency|cost|rate|price|on average|average)\b"
            r"|多少|多久|多快|几(个|次|条|秒|分钟|毫秒|块钱?|元)|指标|耗时|成本|价格|平均",
            re.I,
        ),
    ),
    ("plan", re.compile(r"\b(plan(s|ned)?|roadmap|next (step|week|month)|deadline)\b|计划|打算|下一步|截止", re.I)),
    ("definition", re.compile(r"\b(what (is|are|does .* mean)|define|definition)\b|什么是|是什么意思|定义", re.I)),
    ("event", re.compile(r"\b(when|last time|yesterday|happened)\b|什么时候|上次|哪天|发生", re.I)),
)
_CAUSED_ZH = "带来|导致|引起|造成|引发|产生|引出|触发|促成|催生|换来|招致"
_ONWARD = re.compile(
    r"\b(what (came|became|has become) (out )?of|what happened (after|next|then|because|since)|what (followed|resulted from|grew out of)"
    r"|what did .{1,80} (lead to|cause|change|bring|affect|trigger)|where (did|does|has|will) .{1,80} (lead|led)( to)?\b"
    r"|(consequences?|effects?|outcomes?|aftermath|impact|repercussions?|implications?) of"
    r"|what (consequences?|effects?|outcomes?|impact|influence) (did|does|has|had|will)"
    r"|have any (consequences?|effects?|impact|influence)|(what|who) (is|was|were|are|has been|have been) affected by"
    r"|what (all )?(depend(s|ed)? (up)?on|relie[sd] on)|what (replaced|superseded|has replaced|took the place of)"
    r"|(replaced|superseded) (by|with) what|what (was|were|is|are|has|have) .{1,80} (replaced|superseded) (by|with)"
    r"|what (has |have |had )?changed (since|after|because)|how did .{1,80} (turn out|end|play out)"
    r"|led to what|lead to\?|result(ed)? in what)\b"
    r"|(后来|之后|以后|随后|接着)(我们?|他们?|她们?|大家|又|还|都|就)*(怎么|怎样|如何|发生|呢|(做|改|变)了?(什么|哪些)|有(什么|哪些))"
    rf"|结果(怎么|怎样|如何|呢|是什么)|({_CAUSED_ZH}|影响|改变|推动)了?(到|过)?(什么|哪些)"
    r"|有(过|了)?(什么|哪些|何)(影响|后果|结果|后续|下文)|的(后果|影响|下文|后续)"
    r"|被(什么|哪(个|些)|谁)[^,，。]{0,6}?(取代|替代|替换|代替|换掉)|(什么|哪些)[^,，。]{0,6}?(依赖|取代了?|替代了?|代替了?)(?!什么|哪些)",
    re.I,
)
_WHY = re.compile(r"\b(why|how come|what caused|because of what|reason)\b|为什么|为何|怎么会|原因|起因", re.I)
_EFFECT = re.compile(
    r"\b(?:why|how)\b.{2,200}?\b(?:(?:lead|leads|led) to|causes?|caused|results? in|resulted in|br(?:ing|ings|ought) about"
    r"|give rise to|gave rise to|trigger(?:s|ed)?) (?P<en>.{2,})"
    rf"|(?:(?<=\S\S)(?:为什么|为何|怎么|如何)|(?:为什么|为何).{{2,200}}?)(?:会|能|又|就|最终|最后|间接|一步步)*(?:{_CAUSED_ZH})了?(?P<zh>.{{2,}})",
    re.I,
)
"""Ground and effect both named: why did A lead to B. What is asked about is B."""
_OPEN = re.compile(r"\b(?:what|which)\b|什么|哪些|哪个", re.I)
_FAILURE = re.compile(
    r"\b(fail(s|ed|ures?|ing)?|(went|go(es)?) wrong|mistakes?|lessons?|postmortem|did(n't| not) (work|help)|last time)\b"
    r"|失败|教训|踩坑|翻车|搞砸|事故|出了?(什么|啥)?问题|错在|没(有?用|成|起作用)|上次",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Route:
    """What a question seems to want. `explicit` means that the caller asked for the type or layer."""

    text: str
    lang: Lang
    type: str | None
    layer: Layer | None
    explicit: bool
    why: bool
    onward: bool
    """It asks what came of something, not what it came from."""
    cut: bool
    effect: str | None = None
    """Of a question why one thing led to another: the other."""
    failure: bool = False
    """It asks how an attempt went wrong: the episodes that did come up, with their reason and lesson."""
    periods: tuple[Period, ...] = ()
    """The days, months or years that it names."""
    filters: bool = False
    """What is not of the type or layer is left out. A type only guessed weighs instead, unless the settings say otherwise."""
    request: bool = False
    """It asks for a suggestion: preferences bear on it, however unlike its words they are."""
    frame: Frame = "current"
    """What time it asks about."""
    ident: str | None = None
    """It is the id of a fact or a note, and nothing else."""
    names: tuple[str, ...] = ()
    """Identifiers in it, as written: error codes, issue keys, versions, paths, names in code."""


_REQUEST = re.compile(
    r"\b(recommend(ed|ations?)?|suggest(ions?)?|advi[cs]e|any ideas|help me|(what|where|which)( \w+)? should i|what are some"
    r"|(can|could|would) you (give|plan|find|pick|choose|name|list)|plan (a|my|our)|looking (for|to)|tips (for|on))\b"
    r"|推荐|建议|帮我|给我(找|选|想|安排|规划|列)|(怎么|该)(选|挑)|选哪|有(什么|哪些)(好|适合|值得)|想(找|买|学|去)",
    re.I,
)
"""A request, to be met by what somebody knows; what the vault holds of it is what they like and cannot bear."""
_IDENTIFIER = re.compile(
    r"(?<![\w./-])(?:"
    r"[A-Z][A-Z0-9]{1,15}-\d{1,9}"  # PROJ-123
    r"|0x[0-9A-Fa-f]{3,16}"
    r"|[A-Za-z]{1,6}\d{3,9}|[A-Z]{2,}(?:_[A-Z0-9]+)+"  # E1234, ERR_CONN_RESET
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\(\)"  # load_config()
    r"|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+"  # snake_case
    r"|v?\d+\.\d+\.\d+(?:-[\w.]+)?"  # 1.2.3
    r"|[\w-]+(?:/[\w.-]+)+|[\w-]+\.(?:py|ts|js|md|json|toml|ya?ml|sh|go|rs|java|cpp|sql)"
    r")(?![\w/-])"
)
_ID = re.compile(r"[fn]_[0-9a-f]{16}")
NAMES = 4
"""Identifiers of one question that are looked for."""


def route(
    query: str, type_: str | None = None, layer: Layer | None = None, today: str | None = None, filtering: bool = False
) -> Route:
    """Read a question. `type_` and `layer` are what the caller asked for, if anything; `today` (ISO) is when it is asked;
    `filtering`: what is guessed filters like what is asked for."""
    text = " ".join(query[:MAX_QUERY].split())
    plain = fold(text)
    effect = _effect(text, plain)
    guess: FactType | None = None
    if type_ is None and layer is None:
        guess = next((name for name, cue in _CUES if cue.search(plain)), None)
    return Route(
        text=text,
        lang=language(text),
        type=type_ or guess,
        layer=layer or (LAYER_OF_TYPE[guess] if guess else None),
        explicit=type_ is not None or layer is not None,
        onward=effect is None and _ONWARD.search(plain) is not None,
        why=effect is not None or _WHY.search(plain) is not None,
        cut=len(query) > MAX_QUERY,
        effect=effect,
        failure=_FAILURE.search(plain) is not None,
        periods=named_periods(text, today) if today else (),
        request=_REQUEST.search(plain) is not None,
        frame=query_frame(text),
        ident=text if _ID.fullmatch(text) else None,
        filters=type_ is not None or layer is not None or (filtering and guess is not None),
        names=tuple(dict.fromkeys(match[0] for match in _IDENTIFIER.finditer(text)))[:NAMES],
    )


def _effect(text: str, plain: str) -> str | None:
    """The part of a question that names an effect whose ground it names too; `plain` is the folded text."""
    found = _EFFECT.search(plain)
    name = found.lastgroup if found is not None else None
    if found is None or name is None or _OPEN.search(found[name]):
        return None
    whole = text if len(text) == len(plain) else plain
    return whole[slice(*found.span(name))].strip(" ?？。.!！").removesuffix("的").removesuffix("呢") or None
