"""The scrubber finds each shape, spares what is no secret, and copies without them.

Every key here is made up; they are put together from parts so that no scanner of this
repository takes them for real ones.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

import pytest

from ankita.security.entropy import entropy_bits
from ankita.security.scrubber import MAX_ENCODED_CHARACTERS, TOO_DEEP, Scrubber

RANDOM = "q7Zt2LmX9vRk4BpW8sNc"
"""20 different characters: 4.3 bits each."""

SHAPES = {
    "aws_key": "AKIA" + "Q3ZT7LMX9VRK4BPW",
    "github_token": "ghp_" + "q7Zt2LmX9vRk4BpW8sNcA1b2C3d4E5f6G7h8",
    "slack_token": "xoxb-" + "123456789012-q7Zt2LmX9vRk4BpW",
    "stripe_key": "sk_live_" + "q7Zt2LmX9vRk4BpW8sNc",
    "private_key": "-----BEGIN RSA PRIVATE "
    + "KEY-----\nMIIEow"
    + "\n-----END RSA PRIVATE KEY-----",
}
OTHER_SHAPES = {
    "aws_key": ["ASIA" + "Q3ZT7LMX9VRK4BPW"],
    "github_token": [
        *(f"gh{kind}_" + "q7Zt2LmX9vRk4BpW" for kind in "ousr"),
        "github_pat_" + "11AAAAAAA0q7Zt2LmX9v_Rk4BpW8sNc",
    ],
    "slack_token": [f"xox{kind}-" + "1234567890-abcdef" for kind in "aprs"],
    "stripe_key": ["rk_live_" + "q7Zt2LmX9vRk4BpW"],
    "private_key": [
        "-----BEGIN PRIVATE " + "KEY-----\\nMIIEow\\n-----END PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3BlbnNzaC1rZXktdjEAAAA\nBG5vbmUAAAAEbm9uZQ",
        "-----BEGIN PGP PRIVATE " + "KEY BLOCK-----\n\nlQdGBF\n-----END PGP PRIVATE KEY BLOCK-----",
    ],
    "api_key": [
        "sk-" + "proj-q7Zt2LmX9vRk4BpW8sNcA1b2C3d4",
        "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
        "glpat-" + "q7Zt2LmX9vRk4BpW8sNc",
        "hf_" + "qWertYuiOpAsdFghJklZxcVbnM",
    ],
    "jwt": ["eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0.q7Zt2LmX9vRk4BpW8sNc"],
    "bot_token": ["123456789:" + "AAq7Zt2LmX9vRk4BpW8sNcA1b2C3d4E5f6x"],
}
scrubber = Scrubber()


def each_shape() -> Iterable[tuple[str, str]]:
    yield from SHAPES.items()
    for kind, secrets in OTHER_SHAPES.items():
        for secret in secrets:
            yield kind, secret


@pytest.mark.spec("SEC-1")
@pytest.mark.parametrize(("kind", "secret"), list(each_shape()))
def test_each_shape_goes_and_the_text_around_it_stays(kind: str, secret: str) -> None:
    redacted = scrubber.redact(f"before {secret} after")
    assert redacted == f"before [REDACTED:{kind}] after"


@pytest.mark.spec("SEC-1")
@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"Authorization: Bearer {RANDOM}", "Authorization: Bearer [REDACTED:bearer_token]"),
        ('{"auth": "bearer abc123def456ghi789jkl"}', '{"auth": "bearer [REDACTED:bearer_token]"}'),
        (
            "postgres://ann:s3cret@db:5432/x",
            "postgres://ann:[REDACTED:connection_password]@db:5432/x",
        ),
        ("redis://:s3cret@localhost", "redis://:[REDACTED:connection_password]@localhost"),
        ("amqp://ann:p@ss:w0rd@host", "amqp://ann:[REDACTED:connection_password]@host"),
    ],
)
def test_the_secret_part_goes_and_what_explains_it_stays(text: str, redacted: str) -> None:
    assert scrubber.redact(text) == redacted


@pytest.mark.spec("SEC-2")
@pytest.mark.parametrize(
    "label", ["api_key", "apiKey", "API-KEY", "access_token", "token", "secret"]
)
@pytest.mark.parametrize(
    "form", ["{}={}", "{}: {}", '{} = "{}"', '"{}": "{}"', "{}='{}'", '\\"{}\\":\\"{}\\"']
)
def test_a_long_random_value_under_a_secrets_name_goes(label: str, form: str) -> None:
    assert entropy_bits(RANDOM) > 4.2
    redacted = scrubber.redact(form.format(f"MY_{label}", RANDOM))
    assert redacted == form.format(f"MY_{label}", "[REDACTED:generic_token]")


@pytest.mark.spec("SEC-2")
@pytest.mark.parametrize("label", ["password", "passwd", "pwd", "DB_PASSWORD", "userPassword"])
@pytest.mark.parametrize("value", ["hunter2", "x1", "secret", "letmein", "Password1!", "12345"])
@pytest.mark.parametrize("form", ["{}={}", "{}: {}", '{} = "{}"', '"{}": "{}"', "?{}={}&x=1"])
def test_any_value_under_a_passwords_name_goes(label: str, value: str, form: str) -> None:
    assert scrubber.redact(form.format(label, value)) == form.format(
        label, "[REDACTED:generic_password]"
    )


@pytest.mark.spec("SEC-2")
@pytest.mark.parametrize(
    "text",
    [
        f"token={RANDOM[:11]}",  # 11 characters
        "token=aaaaaaaaaaaaaaaaaaaaaaaaa",  # long, not random
        "secret: the-name-of-a-thing",
        "max_tokens=4096",
        "token_count: 128000",
        "The password is checked by the server.",
        "password = getpass.getpass()",
        "def login(user, password: str) -> None:",
        "connect(user=user, password=password)",
        'password: "${DB_PASSWORD}"',
        "PASSWORD=$DB_PASSWORD",
        'api_key="your-api-key-here"',
        "password: ********",
        "PWD=/home/ann/project",
        "Forgot your password: click here",
        "Bearer YOUR_ACCESS_TOKEN_HERE",
        "https://example.org:8080/a@b",
        "https://user:${TOKEN}@example.org",
        "commit 5f4dcc3b5aa765d61d8327deb882cf99aabbccdd",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "the key task-force-12-of-the-north-sea-2024",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY----- is how a key starts",
        "AKIAQ3ZT7LMX9VRK4BPWTOOLONG",
        "docs/guides/getting-started/with-long-paths/readme.md",
        "",
    ],
)
def test_what_only_talks_about_secrets_stays(text: str) -> None:
    assert scrubber.redact(text) == text
    assert not scrubber.contains_secret(text)


@pytest.mark.spec("SEC-2")
@pytest.mark.parametrize(
    "value",
    [
        {"api_key": RANDOM},
        {"outer": [{"deep": {"clientSecret": RANDOM}}]},
        {"password": "x1"},
        {"password": 1234},
        {"password": ["x1", {"any": "x1"}]},
        {"body": json.dumps({"a": [{"password": "x1"}]})},
        [json.dumps(json.dumps({"a": {"db_password": "x1"}}))],
        {f"for {SHAPES['github_token']}": 1},
        ({"pwd": "x1"},),
    ],
)
def test_keys_decide_in_objects_lists_and_json_strings(value: object) -> None:
    redacted = scrubber.redact_value(value)
    text = json.dumps(redacted)
    assert "REDACTED" in text
    for secret in (RANDOM, "x1", "1234", SHAPES["github_token"]):
        assert secret not in text
    assert scrubber.redact_value(redacted) == redacted


@pytest.mark.spec("SEC-4")
def test_the_value_given_is_never_changed() -> None:
    value = {"a": [{"password": "x1", "list": ["token=" + RANDOM]}], "n": 1, "none": None}
    before = copy.deepcopy(value)
    redacted = scrubber.redact_value(value)
    assert value == before
    assert redacted["n"] == 1
    assert redacted["none"] is None
    assert redacted["a"] is not value["a"]


def test_values_that_are_no_json_become_scrubbed_text(tmp_path: Path) -> None:
    assert scrubber.redact_value(tmp_path) == str(tmp_path)
    assert (
        scrubber.redact_value(ValueError("password=x1")) == "password=[REDACTED:generic_password]"
    )


def test_secret_keys_of_one_object_do_not_swallow_each_other() -> None:
    value = {SHAPES["github_token"]: "a", SHAPES["github_token"] + "1": "b"}
    assert sorted(scrubber.redact_value(value).values()) == ["a", "b"]


def test_a_value_without_end_is_cut_instead_of_trusted() -> None:
    endless: dict[str, object] = {"password": "x1"}
    endless["again"] = endless
    assert TOO_DEEP in str(scrubber.redact_value(endless))


def test_a_json_string_without_secrets_keeps_its_exact_form() -> None:
    text = '{ "a" :1.50, "b":[ ] }'
    assert scrubber.redact_value({"body": text}) == {"body": text}


def encode64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


@pytest.mark.spec("SEC-3")
@pytest.mark.parametrize("secret", [*SHAPES.values(), f"api_key={RANDOM}", "password=hunter2 yes"])
def test_encoded_secrets_go_two_layers_deep_and_not_three(secret: str) -> None:
    once = encode64(secret)
    for wrapped in (
        once,
        base64.urlsafe_b64encode(secret.encode()).decode(),
        once.rstrip("="),
        encode64(once),
        percent(secret),
        percent(once),
    ):
        redacted = scrubber.redact(f"<{wrapped}>")
        assert redacted == "<[REDACTED:encoded_secret]>", wrapped
    thrice = encode64(encode64(once))
    assert scrubber.redact(thrice) == thrice


@pytest.mark.spec("SEC-3")
def test_short_runs_are_not_decoded_and_long_ones_up_to_the_limit() -> None:
    short = encode64("pwd=hunter")[:15]
    assert scrubber.redact(short) == short
    filler = "lorem ipsum " * 2000
    assert scrubber.contains_secret(encode64("password=hunter2 " + filler))
    late = encode64(filler[: MAX_ENCODED_CHARACTERS * 3 // 4] + " password=hunter2 ")
    assert not scrubber.contains_secret(late)


@pytest.mark.spec("SEC-3")
def test_pictures_are_spared() -> None:
    picture = "data:image/png;base64," + encode64("password=hunter2 in a picture")
    assert scrubber.redact(f'<img src="{picture}">') == f'<img src="{picture}">'
    assert scrubber.redact_value({"token": picture}) == {"token": picture}
    other = "data:text/plain;base64," + encode64("password=hunter2 in a text")
    assert "[REDACTED:encoded_secret]" in scrubber.redact(other)


@pytest.mark.spec("SEC-4")
def test_overlapping_hits_become_one() -> None:
    token = SHAPES["github_token"]
    text = f"password={token} Bearer {token}"
    hits = scrubber.detect(text)
    assert [text[hit.start : hit.end] for hit in hits] == [token, token]
    assert scrubber.redact(text).count("[REDACTED:") == 2


@pytest.mark.spec("SEC-4")
@pytest.mark.parametrize("marker", ["[REDACTED:aws_key]", "[STORED:keychain:openai-key-2]"])
def test_markers_are_kept_and_hide_nothing(marker: str) -> None:
    for text in (f"password={marker}", f"Bearer {marker}", f"https://a:{marker}@host", marker):
        assert scrubber.redact(text) == text
        assert scrubber.redact_value({"password": text}) == {"password": text}
    assert scrubber.redact(f"{marker}ghp_{RANDOM}") == f"{marker}[REDACTED:github_token]"
    assert scrubber.contains_secret(f"[REDACTED:{SHAPES['github_token']}]")


@pytest.mark.spec("SEC-4")
def test_a_secret_uncovered_by_another_goes_as_well() -> None:
    glued = SHAPES["aws_key"] + SHAPES["github_token"]
    assert scrubber.redact(glued) == "[REDACTED:aws_key][REDACTED:github_token]"


@pytest.mark.spec("SEC-4", "SEC-5")
def test_a_chain_in_which_each_secret_hides_the_one_before_ends_in_one_call() -> None:
    link = "123456789:" + "AAq7Zt2LmX9vRk4BpW8sNcA1b2C3d4E5f6_"
    redacted = scrubber.redact("hello " + link * 40)
    assert redacted.startswith("[REDACTED:bot_token][REDACTED:bot_token]")
    assert scrubber.redact(redacted) == redacted


@pytest.mark.spec("SEC-5")
def test_secret_values_are_the_secrets_each_once_in_order() -> None:
    token, key = SHAPES["github_token"], SHAPES["aws_key"]
    assert scrubber.secret_values(f"{token} {key} {token}") == (token, key)
    wrapped = encode64(f"token {token}")
    assert scrubber.secret_values(wrapped) == (wrapped, token)
    assert scrubber.secret_values("nothing here") == ()


@pytest.mark.spec("SEC-5")
def test_the_five_calls_agree() -> None:
    for text in (*SHAPES.values(), "password=x1", "plain"):
        has_secret = bool(scrubber.detect(text))
        assert scrubber.contains_secret(text) == has_secret
        assert (scrubber.redact(text) != text) == has_secret
        assert (scrubber.redact_value([text]) != [text]) == has_secret
        assert bool(scrubber.secret_values(text)) == has_secret


KNOWN = 'plain "words" & ünïcode'


@pytest.mark.parametrize(
    "text",
    [
        KNOWN,
        f"x{KNOWN}x",
        json.dumps({"note": KNOWN}),
        quote(KNOWN, safe=""),
        encode64(f"user:{KNOWN}"),
        base64.urlsafe_b64encode(KNOWN.encode()).decode().rstrip("="),
    ],
)
def test_a_known_value_goes_wherever_and_however_it_is_written(text: str) -> None:
    knowing = Scrubber(lambda: [KNOWN])
    assert scrubber.redact(text) == text
    redacted = knowing.redact(text)
    assert redacted != text
    assert KNOWN not in redacted
    assert not knowing.contains_secret(redacted)


def test_the_longest_known_value_goes_first_and_tiny_ones_are_ignored() -> None:
    knowing = Scrubber(lambda: ["correct", "correct horse", "1", ""])
    assert knowing.redact("1 correct horse") == "1 [REDACTED:known_secret]"


def test_known_values_are_asked_for_each_time() -> None:
    values: list[str] = []
    knowing = Scrubber(lambda: values)
    assert knowing.redact("correct horse") == "correct horse"
    values.append("correct horse")
    assert knowing.redact("correct horse") == "[REDACTED:known_secret]"


def test_a_text_that_was_clean_is_judged_anew_when_a_secret_becomes_known() -> None:
    known: list[str] = []
    scrubber = Scrubber(lambda: known)
    assert scrubber.redact("the word is hopscotch") == "the word is hopscotch"
    known.append("hopscotch")
    assert scrubber.redact("the word is hopscotch") == "the word is [REDACTED:known_secret]"
    known.clear()
    assert scrubber.redact("the word is hopscotch") == "the word is hopscotch"
