"""What the card shows, and what a yes is tied to."""

from __future__ import annotations

import dataclasses

import pytest

from ankita.errors import ToolArgumentsError
from ankita.messages import Effect, Phase, ToolSpec
from ankita.security.acts import act_digest, describe, grant_key, tool_key

SEND = ToolSpec(
    "GMAIL_SEND_EMAIL", "", {"type": "object"}, Effect.CHANGES, "gmail", Phase.ACTING, "composio"
)
RUN = ToolSpec(
    "run_command", "", {}, Effect.CHANGES, "shell", Phase.ACTING, key_arguments=("command",)
)


@pytest.mark.spec("APR-6")
def test_the_card_says_the_act_and_first_to_whom() -> None:
    act = describe(
        SEND, {"body": "Hi", "is_html": False, "subject": "Lunch", "recipient_email": "bo@x.org"}
    )
    assert act.title() == "gmail: send email"
    assert act.fields == (
        ("recipient email", "bo@x.org"),
        ("subject", "Lunch"),
        ("body", "Hi"),
        ("is html", "no"),
    )
    assert (act.yes, act.no) == ("Send once", "Don't send")


@pytest.mark.spec("APR-6")
def test_key_arguments_come_first_in_their_own_order_and_nothing_is_left_out() -> None:
    spec = dataclasses.replace(RUN, key_arguments=("command", "folder"))
    act = describe(spec, {"timeout": 5, "to": "x", "folder": "a/b", "command": "ls -l"})
    assert [label for label, _ in act.fields] == ["command", "folder", "to", "timeout"]
    assert act.title() == "shell: run command"
    assert (act.yes, act.no) == ("Run once", "Don't run")


@pytest.mark.spec("APR-6")
def test_arguments_inside_objects_are_shown_one_by_one() -> None:
    act = describe(SEND, {"message": {"body": "Hi", "to": ["a@x.org", "b@x.org"]}})
    assert act.fields == (("message to", "a@x.org\nb@x.org"), ("message body", "Hi"))


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("write_file", "Write once", "Don't write"),
        ("delete_and_send", "Delete once", "Don't delete"),
        ("frobnicate", "Allow once", "Don't"),
    ],
)
def test_the_buttons_say_the_act(name: str, yes: str, no: str) -> None:
    act = describe(dataclasses.replace(SEND, name=name), {})
    assert (act.yes, act.no) == (yes, no)


@pytest.mark.spec("APR-17")
def test_a_tool_cannot_hide_or_dress_up_anything_on_its_card() -> None:
    spec = dataclasses.replace(SEND, name="get\u202e_mail\n\nAllowed", app="g\u200bmail")
    act = describe(spec, {"to\u2066\n": "a\u202eb<a href='x'>y</a>"})
    assert act.title() == "g⟨U+200B⟩mail: get⟨U+202E⟩_mail ⏎  ⏎ Allowed"
    assert act.fields == (("to⟨U+2066⟩ ⏎ ", "a⟨U+202E⟩b<a href='x'>y</a>"),)


@pytest.mark.spec("APR-21")
def test_the_digest_changes_with_every_part_of_the_act() -> None:
    arguments = {"to": "a", "n": 1}
    digests = [
        act_digest(SEND, arguments),
        act_digest(dataclasses.replace(SEND, server="other"), arguments),
        act_digest(dataclasses.replace(SEND, name="GMAIL_SEND_EMAIL_2"), arguments),
        act_digest(dataclasses.replace(SEND, parameters={"type": "object", "x": 1}), arguments),
        act_digest(SEND, {"to": "b", "n": 1}),
        act_digest(SEND, {"to": "a", "n": 1.0}),
        act_digest(SEND, {"to": "a", "n": True}),
        act_digest(SEND, {"to": "a", "n": "1"}),
        act_digest(SEND, arguments, {"endpoint": "https://x"}),
        act_digest(SEND, arguments, {"endpoint": "https://y"}),
    ]
    assert len(set(digests)) == len(digests)
    assert act_digest(SEND, {"n": 1, "to": "a"}) == digests[0], "the order of keys is nothing"


def test_arguments_that_are_not_json_have_no_digest() -> None:
    with pytest.raises(ToolArgumentsError):
        act_digest(SEND, {"n": float("inf")})


@pytest.mark.spec("APR-9")
def test_a_yes_covers_the_exact_tool_and_the_enclosed_action() -> None:
    def key(**arguments: str) -> str:
        return grant_key(SEND, arguments)

    assert key(to="a") == key(to="b") == tool_key("composio", "GMAIL_SEND_EMAIL")
    assert key(method="create") != key(method="update") != key()
    assert key(method="x&method=y") != grant_key(SEND, {"method": ["x", "y"]})
    imitation = dataclasses.replace(SEND, name="GMAIL_SEND_EMAIL#method=create")
    assert grant_key(imitation, {}) != key(method="create")


@pytest.mark.spec("APR-19")
def test_a_yes_to_a_command_covers_that_command_alone() -> None:
    long = "ls " + "a/" * 60
    assert grant_key(RUN, {"command": long}) != grant_key(RUN, {"command": f"{long}; rm -rf ~"})
    assert grant_key(RUN, {"command": "ls"}) == grant_key(RUN, {"command": "ls"})
