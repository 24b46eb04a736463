"""The rules that find sensitive values by their look: data only, one row a rule.

`TOKENS` are issued secrets with a known prefix, `NUMBERS` are phone, card and national numbers, `URL_SECRETS`
are addresses that are a secret themselves. Rules that go by the key are in `redaction_keys`, those that go by
words and signs around a value in `redaction_text`.

A new rule is a new row with an example, which the tests check. Examples are given in pieces, so that no
token-shaped text stands in this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent_tools.stages import redaction_checks as checks

RULES: dict[str, str] = {
    "secret": "passwords, one-time codes, tokens, keys, cookies, credentials in URLs, private keys",
    "phone": "phone numbers",
    "national_id": "national ids, passports, driving licences, tax numbers, vehicle plates",
    "card": "bank and credit cards, accounts, IBANs",
    "email": "e-mail addresses",
    "address": "postal addresses, by their key",
    "ip": "IP addresses",
    "name": "names of persons, by their key",
    "birth_date": "birth dates, by their key",
}
"""Every rule and what it hides."""

DEFAULT_RULES = frozenset({"secret", "phone", "national_id", "card"})
"""What is hidden unless told otherwise: values that a tool seldom needs to act on."""

RULE_ALIASES: dict[str, str] = {
    "secrets": "secret",
    "password": "secret",
    "passwords": "secret",
    "phones": "phone",
    "id": "national_id",
    "ids": "national_id",
    "national_ids": "national_id",
    "cards": "card",
    "emails": "email",
    "e-mail": "email",
    "mail": "email",
    "addresses": "address",
    "ips": "ip",
    "ip_address": "ip",
    "names": "name",
    "birth_dates": "birth_date",
    "birthday": "birth_date",
    "dob": "birth_date",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A secret known by its prefix.

    Attributes:
        name: Who issues it.
        pattern: The whole token; it starts at a place that no ASCII letter or digit precedes.
        example: Pieces of a made-up token.
        random: Whether the text after the first separator must look random, too.
    """

    name: str
    pattern: str
    example: tuple[str, ...]
    random: bool = False


_MIXED = "A1b2C3d4E5"

TOKENS: tuple[Token, ...] = (
    Token("adafruit", r"aio_[A-Za-z]{4}\d{2}[A-Za-z0-9]{22,}", ("aio_", "abcd12", _MIXED * 3)),
    Token("age", r"AGE-SECRET-KEY-1[0-9A-Z]{40,}", ("AGE-SECRET", "-KEY-1", "Q2W3" * 15)),
    Token("airtable", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}", ("pat", "Ab1" * 4 + "xy", ".", "0a1b" * 16)),
    Token("aliyun", r"LTAI[A-Za-z0-9]{12,26}", ("LTAI", _MIXED * 2)),
    Token("anthropic_openai", r"sk-[A-Za-z0-9_\-]{20,}", ("sk-", "ant-", _MIXED * 4), random=True),
    Token("anyscale", r"esecret_[A-Za-z0-9]{20,}", ("esec", "ret_", _MIXED * 3)),
    Token("apify", r"apify_(?:api|proxy)_[A-Za-z0-9]{30,}", ("apify", "_api_", _MIXED * 4)),
    Token("atlassian", r"AT[ACT]TT3[A-Za-z0-9_\-=]{20,}", ("ATA", "TT3", _MIXED * 4)),
    Token("aws_bedrock", r"ABSK[A-Za-z0-9+/]{100,}={0,2}", ("AB", "SK", _MIXED * 11)),
    Token("aws_key_id", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", ("AKIA", "Q2W3E4R5" * 2)),
    Token("azure_ad", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}", ("abc", "8Q~", _MIXED * 3 + "abcd")),
    Token(
        "baidu", r"bce-v3/ALTAK-[A-Za-z0-9]{16,}/[0-9a-f]{40}",
        ("bce-v3", "/ALTAK-", _MIXED * 2, "/", "0a1b2c3d" * 5),
    ),
    Token("browserbase", r"bb_(?:live|test)_[A-Za-z0-9_\-]{20,}", ("bb", "_live_", _MIXED * 3)),
    Token("buildkite", r"bk[a-z]a_[0-9a-f]{40}", ("bk", "ua_", "0a1b2c3d" * 5)),
    Token("cerebras", r"csk-[a-z0-9]{40,}", ("cs", "k-", "a1b2c3d4" * 6)),
    Token("circleci", r"CCIPAT_[A-Za-z0-9_]{20,}", ("CCI", "PAT_", _MIXED * 3)),
    Token(
        "cloudflare", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}",
        ("v1", ".0-", "0a1b" * 6, "-", "0a1b2c3d" * 18),
    ),
    Token("clojars", r"CLOJARS_[a-z0-9]{50,}", ("CLO", "JARS_", "a1b2c3" * 10)),
    Token("confluent", r"cflt[A-Za-z0-9+/]{50,}", ("cf", "lt", _MIXED * 6)),
    Token("contentful", r"CFPAT-[A-Za-z0-9_\-]{40,}", ("CFP", "AT-", _MIXED * 5)),
    Token("coze", r"[ps]at_[A-Za-z0-9]{60,}", ("pa", "t_", _MIXED * 7)),
    Token("crates", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])", ("cio", _MIXED * 3 + "ab"), random=True),
    Token(
        "crypt_hash",
        r"\$(?:apr1|[156y]|2[abxy]|argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9\-]{0,12})\$[./A-Za-z0-9$=,+\-]{20,}",
        ("$2", "b$12$", _MIXED * 5),
    ),
    Token("databricks", r"dapi[0-9a-f]{32}(?:-\d)?", ("dapi", "0a1b2c3d" * 4)),
    Token(
        "dify", r"(?:app|dataset)-[A-Za-z0-9]{24}(?![A-Za-z0-9\-])",
        ("ap", "p-", _MIXED * 2 + "Ab1C"), random=True,
    ),
    Token("digitalocean", r"do[opr]_v1_[0-9a-f]{40,}", ("dop_", "v1_", "0a1b2c3d" * 8)),
    Token(
        "discord",
        r"[MNO][A-Za-z0-9_\-]{22,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{25,}",
        ("M", "TA1b2C3d4E5f6G7h8I9j0Kl", ".", "Ab12Cd", ".", _MIXED * 3),
    ),
    Token("docker", r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{20,}", ("dckr_", "pat_", _MIXED * 3)),
    Token(
        "doppler",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_\-]{2,35}\.)?[A-Za-z0-9]{38,}",
        ("dp.", "pt.", _MIXED * 4),
    ),
    Token("dropbox", r"sl\.[A-Za-z0-9_\-]{100,}", ("s", "l.", _MIXED * 13)),
    Token("duffel", r"duffel_(?:live|test)_[A-Za-z0-9_\-]{30,}", ("duffel", "_test_", _MIXED * 4)),
    Token("dynatrace", r"dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}", ("dt0c", "01.", "A1B2" * 6, ".", "A1B2" * 16)),
    Token("e2b", r"e2b_[0-9a-f]{40}", ("e2", "b_", "0a1b2c3d" * 5)),
    Token("easypost", r"EZ[AT]K[A-Za-z0-9]{54,}", ("EZ", "AK", _MIXED * 6)),
    Token("elevenlabs", r"sk_[0-9a-f]{48}(?![A-Za-z0-9])", ("s", "k_", "0a1b2c3d" * 6)),
    Token("facebook", r"EAA[A-Za-z0-9]{30,}", ("EAA", _MIXED * 6), random=True),
    Token("fastgpt", r"fastgpt-[A-Za-z0-9]{40,}", ("fast", "gpt-", _MIXED * 5)),
    Token("figma", r"fig[dou]_[A-Za-z0-9_\-]{30,}", ("fig", "d_", _MIXED * 4)),
    Token("fireworks", r"fw_[A-Za-z0-9]{22,}", ("f", "w_", _MIXED * 3), random=True),
    Token("flutterwave", r"FLWSECK(?:_TEST)?-[0-9A-Za-z]{20,}(?:-X)?", ("FLW", "SECK-", _MIXED * 3, "-X")),
    Token("firecrawl", r"fc-[0-9a-f]{32}(?![A-Za-z0-9])", ("f", "c-", "0a1b2c3d" * 4)),
    Token("fly", r"fo1_[A-Za-z0-9_\-]{40,}|fm[12][a-z]?_[A-Za-z0-9+/=_,]{60,}", ("fo1", "_", _MIXED * 5)),
    Token("github", r"gh[pousr]_[A-Za-z0-9_]{20,}", ("ghp", "_", _MIXED * 4)),
    Token("github_fine", r"github_pat_[A-Za-z0-9_]{22,}", ("github", "_pat_", _MIXED * 8)),
    Token(
        "gitlab",
        r"(?:glpat|gldt|glrt|glcbt|glptt|glft|glsoat|glagent|gloas|glimt|glffct)-[A-Za-z0-9_\-.=]{18,}|GR1348941[A-Za-z0-9_\-]{20,}",
        ("glp", "at-", _MIXED * 2),
    ),
    Token("google_api", r"AIza[A-Za-z0-9_\-]{30,}", ("AI", "za", _MIXED * 3 + "abcde")),
    Token("google_client", r"GOCSPX-[A-Za-z0-9_\-]{20,}", ("GOC", "SPX-", _MIXED * 3)),
    Token("google_oauth", r"ya29\.[A-Za-z0-9_\-]{20,}", ("ya", "29.", _MIXED * 4)),
    Token("google_refresh", r"1//0[A-Za-z0-9_\-]{30,}", ("1/", "/0", _MIXED * 5)),
    Token("grafana", r"gl(?:sa|c)_[A-Za-z0-9+/_=]{30,}", ("gl", "sa_", _MIXED * 4)),
    Token("groq", r"gsk_[A-Za-z0-9]{20,}", ("gs", "k_", _MIXED * 5)),
    Token("heroku", r"HRKU-[A-Za-z0-9_\-]{30,}", ("HR", "KU-", _MIXED * 4)),
    Token(
        "hubspot", r"pat-(?:na|eu|ap)\d-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
        ("pat-", "na1-", "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"),
    ),
    Token("huggingface", r"(?:hf|api_org)_[A-Za-z0-9]{20,}", ("h", "f_", _MIXED * 3 + "abcd")),
    Token("infracost", r"ico-[A-Za-z0-9]{32}", ("ic", "o-", _MIXED * 3 + "ab"), random=True),
    Token("jfrog", r"AKCp[A-Za-z0-9]{60,}", ("AK", "Cp", _MIXED * 7)),
    Token("jina", r"jina_[A-Za-z0-9_\-]{50,}", ("ji", "na_", _MIXED * 6)),
    Token(
        "jwt",
        r"eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{4,}(?:\.[A-Za-z0-9_\-]*){1,3}",
        ("eyJ", _MIXED * 2, ".eyJ", _MIXED * 3, ".", _MIXED * 3),
    ),
    Token(
        "langsmith", r"ls(?:v2_(?:pt|sk)_|__)[0-9a-f_]{30,}",
        ("lsv2", "_pt_", "0a1b2c3d" * 4, "_", "0a1b2c3d4e"),
    ),
    Token(
        "launchdarkly", r"(?:sdk|mob|api)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
        ("sd", "k-", "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"),
    ),
    Token("linear", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}", ("lin_", "api_", _MIXED * 4)),
    Token("mailchimp", r"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])", ("0a1b2c3d" * 4, "-us", "12")),
    Token("mailgun", r"key-[0-9a-f]{32}(?![A-Za-z0-9])", ("key", "-", "0a1b2c3d" * 4)),
    Token("mapbox", r"sk\.eyJ[A-Za-z0-9_\-.]{30,}", ("sk.", "eyJ", _MIXED * 4)),
    Token("netlify", r"nf[pc]_[A-Za-z0-9]{30,}", ("nf", "p_", _MIXED * 4)),
    Token("newrelic", r"NR(?:AK|AL|II|JS|RA)-[A-Za-z0-9]{19,}", ("NR", "AK-", _MIXED * 3)),
    Token("neon", r"napi_[a-z0-9]{40,}", ("na", "pi_", "a1b2c3d4" * 6)),
    Token("notion", r"(?:ntn_|secret_)[A-Za-z0-9]{40,}", ("nt", "n_", _MIXED * 5), random=True),
    Token("npm", r"npm_[A-Za-z0-9]{30,}", ("np", "m_", _MIXED * 4)),
    Token("nvidia", r"nvapi-[A-Za-z0-9_\-]{40,}", ("nv", "api-", _MIXED * 6)),
    Token("onepassword", r"ops_eyJ[A-Za-z0-9+/_\-]{100,}={0,2}", ("ops_", "eyJ", _MIXED * 12)),
    Token("perplexity", r"pplx-[A-Za-z0-9]{30,}", ("pp", "lx-", _MIXED * 4)),
    Token("pinecone", r"pcsk_[A-Za-z0-9_]{30,}", ("pc", "sk_", _MIXED * 5)),
    Token(
        "plaid",
        r"access-(?:sandbox|development|production)-[0-9a-f\-]{36}",
        ("access-", "sandbox-", "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"),
    ),
    Token("planetscale", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.\-=]{30,}", ("pscale", "_tkn_", _MIXED * 4)),
    Token("postman", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", ("PM", "AK-", "0a1b" * 6, "-", "0a1b" * 8 + "cd")),
    Token("posthog", r"phx_[A-Za-z0-9]{40,}", ("ph", "x_", _MIXED * 5)),
    Token("prefect", r"pn[ub]_[A-Za-z0-9]{30,}", ("pn", "u_", _MIXED * 4)),
    Token("pulumi", r"pul-[0-9a-f]{40}", ("pu", "l-", "0a1b2c3d" * 5)),
    Token("pypi", r"pypi-[A-Za-z0-9_\-]{40,}", ("py", "pi-", _MIXED * 6), random=True),
    Token("razorpay", r"rzp_(?:live|test)_[A-Za-z0-9]{14,}", ("rzp_", "live_", _MIXED * 2)),
    Token("readme", r"rdme_[A-Za-z0-9]{50,}", ("rd", "me_", _MIXED * 7)),
    Token("render", r"rnd_[A-Za-z0-9]{28,}", ("rn", "d_", _MIXED * 3)),
    Token("replicate", r"r8_[A-Za-z0-9]{30,}", ("r", "8_", _MIXED * 4)),
    Token("resend", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", ("r", "e_", "Ab12Cd34", "_", _MIXED * 2 + "abcd")),
    Token("rubygems", r"rubygems_[0-9a-f]{40,}", ("ruby", "gems_", "0a1b2c3d" * 6)),
    Token(
        "sendgrid",
        r"SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}",
        ("S", "G.", _MIXED * 2 + "ab", ".", _MIXED * 4 + "abc"),
    ),
    Token(
        "sendinblue",
        r"x(?:key|smtp)sib-[0-9a-f]{40,}(?:-[A-Za-z0-9]+)?",
        ("xkey", "sib-", "0a1b2c3d" * 8, "-", _MIXED),
    ),
    Token("sentry", r"sntry[su]_[A-Za-z0-9+/=_]{40,}", ("sn", "trys_", _MIXED * 6)),
    Token("shippo", r"shippo_(?:live|test)_[0-9a-f]{40}", ("shippo", "_live_", "0a1b2c3d" * 5)),
    Token("shopify", r"shp(?:at|ca|pa|ss|tka)_[A-Fa-f0-9]{32}", ("shp", "at_", "0a1b2c3d" * 4)),
    Token(
        "slack",
        r"xox[abceoprs](?:\.xox[a-z])?-[A-Za-z0-9\-.]{10,}|xapp-\d-[A-Za-z0-9\-]{20,}|xwfp-[A-Za-z0-9\-]{20,}",
        ("xo", "xb-", "123456789012-", _MIXED * 2),
    ),
    Token("sonar", r"sq[apu]_[0-9a-f]{40}", ("sq", "p_", "0a1b2c3d" * 5)),
    Token("square", r"(?:EAAA|sq0[a-z]{3}-)[A-Za-z0-9_\-]{22,}", ("sq0", "atp-", _MIXED * 3)),
    Token(
        "stripe",
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}",
        ("sk", "_test_", _MIXED * 3),
    ),
    Token("supabase", r"sb(?:p|_secret)_[A-Za-z0-9_\-]{30,}", ("sb", "p_", _MIXED * 4)),
    Token(
        "tailscale", r"tskey-[a-z]{2,8}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}",
        ("ts", "key-", "auth-", _MIXED, "-", _MIXED * 3),
    ),
    Token("tavily", r"tvly-[A-Za-z0-9\-]{20,}", ("tv", "ly-", _MIXED * 3)),
    Token("telegram", r"(?:bot)?\d{8,10}:AA[A-Za-z0-9_\-]{32,}", ("1234567890", ":AA", _MIXED * 3 + "abc")),
    Token("tencent", r"AKID[A-Za-z0-9]{13,40}", ("AK", "ID", _MIXED * 3 + "ab")),
    Token(
        "terraform", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{50,}",
        ("Ab1Cd2Ef3Gh4Ij", ".atlas", "v1.", _MIXED * 7),
    ),
    Token("together", r"tgp_v1_[A-Za-z0-9_\-]{30,}", ("tgp", "_v1_", _MIXED * 4)),
    Token("twilio", r"SK[0-9a-f]{32}(?![A-Za-z0-9])", ("S", "K", "0a1b2c3d" * 4)),
    Token("typeform", r"tfp_[A-Za-z0-9_\-.=]{40,}", ("tf", "p_", _MIXED * 5)),
    Token("vault", r"hv[sbr]\.[A-Za-z0-9_\-]{24,}", ("hv", "s.", _MIXED * 4)),
    Token("vercel", r"vc[pkair]_[A-Za-z0-9]{24,}", ("vc", "p_", _MIXED * 4)),
    Token("volcengine", r"AKLT[A-Za-z0-9_\-]{20,}={0,2}", ("AK", "LT", _MIXED * 4)),
    Token("xai", r"xai-[A-Za-z0-9]{40,}", ("x", "ai-", _MIXED * 6)),
    Token(
        "yandex",
        r"AQVN[A-Za-z0-9_\-]{35,}|t1\.[A-Za-z0-9_\-]+={0,2}\.[A-Za-z0-9_\-]{86}={0,2}",
        ("AQ", "VN", _MIXED * 4),
    ),
    Token("zhipu", r"[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])", ("0a1b2c3d" * 4, ".", _MIXED + "a1B2c3")),
    Token(
        "internal",
        r"(?:int-tok|gw-int|gw-tok|svc-tok|itk|svc|srv|int|internal|inner|s2s|m2m|gw|rpc|intl)[-_](?:tok[-_]|token[-_]|auth[-_]|key[-_])?[A-Za-z0-9_\-]{16,}",
        ("it", "k_", _MIXED * 3),
        random=True,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """A number known by its digits.

    Attributes:
        name: What it is.
        rule: The rule it belongs to.
        shapes: Fragments one of which is in every hit, on the text with each digit as `0`, upper case as `A`,
            lower case as `a` and each byte of other scripts as `c`; the cheap test before the pattern.
        pattern: The number; group 0 is hidden. A hit never touches another ASCII letter or digit.
        check: Test on the hit without separators; None takes every hit.
        mask: The name of a mask.
        weak: Whether a key or word like `order` or `id` before it says that it is something else.
        example: A made-up number that is found.
    """

    name: str
    rule: str
    shapes: tuple[str, ...]
    pattern: str
    mask: str
    example: str
    check: Callable[[str], bool] | None = None
    weak: bool = False


# ASCII look-arounds: a word boundary fails beside Chinese. No digit group may go on to either side.
_END = r"(?![0-9A-Za-z])(?![.\-]\d)"
# A number behind another one and a slash stands in a list, behind a shorter run in a path or date.
# All of it is placed behind the first character, so that searching stays fast.
_CUT = r"(?<![0-9A-Za-z].)(?<!\d[.\-].)(?<!(?<!\d{10})\d/.)"
# Groups of hexadecimal digits beside it: a table of characters.
_ALONE = r"(?<![0-9A-F]{4} .)"
_AT_END = r"(?! [0-9A-F]{4} [0-9A-F]{4}(?![0-9A-Za-z]))"

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"

NUMBERS: tuple[Number, ...] = (
    Number(
        "mobile_cn",
        "phone",
        ("00000000000", "000 0000 0000", "000-0000-0000", "000 00000000", "000-00000000"),
        # 17179869184 is 16 GB, the one power of two
        rf"1{_CUT}(?<![A-Z]-.)(?!7179869184)[3-9]\d[ \-]?\d{{4}}[ \-]?\d{{4}}(?![0-9A-Za-z])(?!\.\d)(?!-\d)"
        r"(?! ?[条個个元次件万亿页行])(?! ?字节)(?! ?毫秒)",
        "phone",
        "13800138000",
        weak=True,
    ),
    Number(
        "mobile_cn_prefixed",
        "phone",
        ("00000000000", "000 0000 0000", "000-0000-0000"),
        r"(?:86(?<![0-9A-Za-z]..)|0086(?<![0-9A-Za-z]....))[ \-)]{0,2}"
        r"1[3-9]\d[ \-]?\d{4}[ \-]?\d{4}(?![0-9A-Za-z])",
        "phone",
        "86-13800138000",
    ),
    Number(
        "landline_cn",
        "phone",
        ("000-000", "0000 000", "000 000", "000)", "000）"),
        rf"0(?<![0-9A-Za-z].)(?<!\d[.\-/ ].)(?:10|2\d|[3-9]\d\d)(?:[ \-]|[)）] ?)"
        rf"(?:\d{{7,8}}|(?<=10.|2\d.)\d{{4}}[ \-]\d{{4}})(?:-\d{{1,6}})?{_END}",
        "phone",
        "010-88886666",
    ),
    Number(
        "international",
        "phone",
        ("+000", "+00 ", "+00-", "+00(", "+00.", "+0 ", "+0-", "+0(", "+0."),
        # neither a point on the earth (ISO 6709)
        rf"\+(?<![0-9A-Za-z].)(?!0)(?!\d\d[0-5]\d(?:[0-5]\d)?-[01]\d\d[0-5]\d(?:[0-5]\d)?(?!\d))"
        rf"\d(?:[ .\-()]{{0,3}}\d){{7,14}}{_END}",
        "phone",
        "+44 7895 583135",
        check=lambda text: 8 <= len(text) <= 15,
    ),
    Number(
        "north_american",
        "phone",
        ("000-000-0", "000.000.0", "000 000 0", "000) 000", "000)000"),
        rf"[2-9]{_CUT}(?!00[.\- ])\d\d(?:([.\-])\d{{3}}\1|\) ?\d{{3}}[.\- ]| [2-9]\d\d[ \-])"
        rf"\d{{4}}{_END}(?! \d)",
        "phone",
        "856-572-1621",
    ),
    Number(
        "north_american_1",
        "phone",
        ("000-000-0", "000.000.0", "000 000 0", "000) 000", "00000000000"),
        # nor, with one point, a measure
        rf"1{_CUT}(?:\.(?=\(?\d\d\d\)?[ .\-])|[ \-])\(?[2-9]\d\d\)?[ .\-]?\d{{3}}[ .\-]?\d{{4}}{_END}",
        "phone",
        "1-856-572-1621",
    ),
    Number(
        "mobile_jp_kr",
        "phone",
        ("000-0000-0000", "000 0000 0000", "000-000-0000"),
        rf"0{_CUT}(?:[5-9]0([ \-])\d{{4}}|1[016-9]([ \-])\d{{3,4}})(?:\1|\2)\d{{4}}{_END}",
        "phone",
        "090-1234-5678",
        weak=True,
    ),
    Number(
        "landline_jp",
        "phone",
        ("00-0000-0000", "000-000-0000", "0000-00-0000"),
        rf"0{_CUT}(?:\d-\d{{4}}|\d\d-\d{{3}}|\d{{3}}-\d\d)-\d{{4}}{_END}",
        "phone",
        "03-1234-5678",
        weak=True,
    ),
    Number(
        "mobile_gb",
        "phone",
        ("00000 000000", "00000 000 000"),
        rf"0{_CUT}7\d{{3}} \d{{3}} ?\d{{3}}{_END}(?! \d)",
        "phone",
        "07911 123456",
        weak=True,
    ),
    Number(
        "phone_fr",
        "phone",
        ("00 00 00 00 00", "00.00.00.00.00"),
        rf"0{_CUT}(?<![0-9A-Fa-f][0-9A-Fa-f] .)[1-9]([ .])\d\d(?:\1\d\d){{3}}{_END}"
        r"(?![ .](?:\d|[0-9A-Fa-f]{2}(?![0-9A-Za-z])))",
        "phone",
        "06 12 34 56 78",
        weak=True,
    ),
    Number(
        "mobile_br",
        "phone",
        ("00) 00000-0000", "00)00000-0000", "00 00000-0000"),
        rf"[1-9]{_CUT}\d(?:\) ?| )9\d{{4}}-\d{{4}}{_END}",
        "phone",
        "11 98765-4321",
        weak=True,
    ),
    Number(
        "spaced_digits",
        "phone",
        ("0 0 0 0 0 0 0 0 0", "0-0-0-0-0-0-0-0-0", "0.0.0.0.0.0.0.0.0"),
        rf"1{_CUT}([ .\-])[3-9](?:\1\d){{9}}(?!\1?\d)(?![A-Za-z])",
        "phone",
        "1 3 8 0 0 1 3 8 0 0 0",
    ),
    Number(
        "cn_id",
        "national_id",
        ("00000000000000000", "000000 00000000 000"),
        rf"[1-9](?<![0-9A-Za-z].)\d{{5}} ?(?:18|19|20)\d{{6}} ?\d{{3}}[0-9Xx]{_END}",
        "id",
        "11010519491231002X",
        check=checks.is_cn_id,
    ),
    Number(
        "ssn",
        "national_id",
        ("000-00-0000",),
        rf"\d{_CUT}\d\d-\d\d-\d{{4}}{_END}",
        "id",
        "487-55-2919",
        check=checks.is_ssn,
    ),
    Number(
        "cpf",
        "national_id",
        ("000.000.000-00",),
        rf"\d{_CUT}\d\d\.\d{{3}}\.\d{{3}}-\d\d{_END}",
        "id",
        "858.088.232-00",
        check=checks.is_cpf,
    ),
    Number(
        "aadhaar",
        "national_id",
        ("0000 0000 0000",),
        rf"[2-9]{_CUT}(?<!\d .){_ALONE}\d{{3}} \d{{4}} \d{{4}}{_END}(?! \d){_AT_END}",
        "id",
        "4188 0046 7905",
        check=checks.is_aadhaar,
    ),
    Number(
        "rrn",
        "national_id",
        ("000000-0000000",),
        rf"\d{_CUT}(?<![+\-].)\d{{5}}-[1-8]\d{{6}}{_END}",
        "id",
        "720906-2043024",
        check=checks.is_rrn,
    ),
    Number(
        "hkid",
        "national_id",
        ("A000000(",),
        r"[A-Z](?<![0-9A-Za-z].)[A-Z]?\d{6}\([0-9A]\)",
        "id",
        "V226316(5)",
        check=checks.is_hkid,
    ),
    Number(
        "tw_id",
        "national_id",
        ("A000000000",),
        rf"[A-Z](?<![0-9A-Za-z\-_].)[1289]\d{{8}}{_END}",
        "id",
        "A123456789",
        check=checks.is_tw_id,
    ),
    Number(
        "nric",
        "national_id",
        ("A0000000A",),
        rf"[STFGM](?<![0-9A-Za-z\-_].)\d{{7}}[A-Z]{_END}",
        "id",
        "S5032587C",
        check=checks.is_nric,
    ),
    Number(
        "dni",
        "national_id",
        ("0000000A", "0000000-A"),
        rf"[0-9XYZ](?<![0-9A-Za-z\-_.].)\d{{7}}-?[A-Z]{_END}",
        "id",
        "02247616X",
        check=lambda text: len(text) == 9 and checks.is_dni(text),
    ),
    Number(
        "nie",
        "national_id",
        ("0000000A", "0000000-A"),
        rf"[XYZ](?<![0-9A-Za-z\-_.].)-?\d{{7}}-?[A-Z]{_END}",
        "id",
        "X1234567L",
        check=checks.is_dni,
    ),
    Number(
        "nino",
        "national_id",
        ("A000000A", "A 00 00 00", "A000000 A", "A00 00 00"),
        rf"[A-CEGHJ-PR-TW-Z](?<![0-9A-Za-z\-_].)[A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]{_END}",
        "id",
        "LH 50 78 63 D",
        check=checks.is_nino,
    ),
    Number(
        "codice_fiscale",
        "national_id",
        ("AAAAAA00A00A000A",),
        rf"[A-Z](?<![0-9A-Za-z\-_].)[A-Z]{{5}}\d\d[ABCDEHLMPRST]\d\d[A-Z]\d{{3}}[A-Z]{_END}",
        "id",
        "RSSMRA85T10A562S",
        check=checks.is_codice_fiscale,
    ),
    Number(
        "curp",
        "national_id",
        ("AAAA000000AAAAAA",),
        rf"[A-Z](?<![0-9A-Za-z\-_].)[AEIOUX][A-Z]{{2}}\d{{6}}[HMX][A-Z]{{5}}[0-9A-Z]\d{_END}",
        "id",
        "GOMC900514HDFRRR07",
    ),
    Number(
        "rut_cl",
        "national_id",
        ("0.000.000-",),
        rf"\d{_CUT}\d?\.\d{{3}}\.\d{{3}}-[0-9Kk]{_END}",
        "id",
        "12.345.678-5",
        check=checks.is_rut,
    ),
    Number(
        "cnpj",
        "national_id",
        ("00.000.000/0000-00",),
        rf"\d{_CUT}\d\.\d{{3}}\.\d{{3}}/\d{{4}}-\d\d{_END}",
        "id",
        "11.222.333/0001-81",
        check=checks.is_cnpj,
    ),
    Number(
        "nir_fr",
        "national_id",
        ("0 00 00 00 000 000",),
        rf"[12]{_CUT} \d\d (?:0[1-9]|1[0-2]|[2-9]\d) \d[\dAB] \d{{3}} \d{{3}} \d\d{_END}",
        "id",
        "1 85 05 78 006 084 91",
        check=checks.is_nir,
    ),
    Number(
        "ipv4",
        "ip",
        ("0.000.0", "0.00.0", "0.0.0"),
        # the host of a URL says where something runs, not who somebody is
        rf"(?<![0-9A-Za-z.\-_/@])(?!127\.0\.0\.1|0\.0\.0\.0|255\.255\.){_OCTET}(?:\.{_OCTET}){{3}}"
        r"(?![0-9A-Za-z_])(?!\.\d)(?!-[0-9A-Za-z])",
        "secret",
        "203.0.113.77",
        weak=True,
    ),
    Number(
        "ipv6",
        "ip",
        (":0", ":a", ":A"),
        r"(?<![0-9A-Za-z:.])(?:(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|"
        r"(?:[0-9a-fA-F]{1,4}:){2,6}(?::[0-9a-fA-F]{1,4}){1,6})(?![0-9A-Za-z:])",
        "secret",
        "2001:db8:85a3::8a2e:370:7334",
    ),
    Number(
        "pan_in",
        "national_id",
        ("AAAAA0000A",),
        rf"[A-Z](?<![0-9A-Za-z\-_].)[A-Z]{{2}}[ABCFGHJLPT][A-Z]\d{{4}}[A-Z]{_END}",
        "id",
        "GSWHI2057G",
    ),
    Number(
        "card",
        "card",
        ("0000000000000", "0000 0000", "0000-0000", "0000 000000"),
        rf"[3-68](?<![0-9A-Za-z].)(?<!\d[.\- ].){_ALONE}"
        rf"(?:\d{{12,18}}|\d{{3}}([ \-])\d{{4}}\1\d{{4}}\1\d{{4}}(?:\1\d{{1,3}})?|"
        rf"\d{{3}}([ \-])\d{{6}}\2\d{{4,5}}){_END}(?!\.\d){_AT_END}",
        "card",
        "4111 1111 1111 1111",
        check=checks.is_card,
        weak=True,
    ),
    Number(
        "iban",
        "card",
        ("AA00",),
        rf"[A-Z](?<![0-9A-Za-z\-_].)[A-Z]\d\d"
        rf"(?:[A-Z0-9]{{11,30}}|(?:[ \-][A-Z0-9]{{4}}){{2,7}}(?:[ \-][A-Z0-9]{{1,3}})?){_END}",
        "card",
        "ES9307314043834462147030",
        check=checks.is_iban,
    ),
    Number(
        "plate_cn",
        "national_id",
        ("cA",),
        r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼使]"
        r"[A-Z][·•・\- ]?[A-HJ-NP-Z0-9]{4,6}[港澳学警挂领使]?(?![0-9A-Za-z])",
        "id",
        "粤AH0862",
        check=checks.is_plate,
    ),
)  # fmt: skip

URL_SECRETS: tuple[tuple[str, str], ...] = (
    ("hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+\-]{8,})"),
    ("/api/webhooks/", r"/api/webhooks/(\d{5,}/[A-Za-z0-9_\-]{8,})"),
    (".webhook.office.com", r"webhook\.office\.com/webhookb2/([A-Za-z0-9@\-/]{20,})"),
    ("/bot/v2/hook/", r"/bot/v2/hook/([A-Za-z0-9\-]{8,})"),
    ("/webhook/send?key=", r"/webhook/send\?key=([A-Za-z0-9\-]{8,})"),
    ("api.telegram.org/bot", r"api\.telegram\.org/(?:file/)?bot([A-Za-z0-9:_\-]{20,})"),
    ("hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/([A-Za-z0-9/]{6,})"),
    ("maker.ifttt.com", r"maker\.ifttt\.com/trigger/[^\s/]{1,80}/(?:json/)?with/key/([A-Za-z0-9_\-]{10,})"),
    ("chat.googleapis.com", r"chat\.googleapis\.com/v1/spaces/[^\s?]{1,80}\?(key=[^\s\"'<>]{10,})"),
)
"""A literal that must be there, and a pattern whose group 1 is hidden."""
