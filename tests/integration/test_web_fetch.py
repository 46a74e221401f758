"""One request through the web door, against a real server on loopback."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ankita.errors import ToolError, ToolTimeoutError
from ankita.integrations.native.web_fetch import FetchLimits, Resolve, WebDoor
from tests.servers.web_pages import Reply, WebPages, html, redirect

pytestmark = pytest.mark.spec("TOL-3")


def names(**numbers: Sequence[str]) -> Resolve:
    """A resolver that knows a few names; "_" stands for their dots."""

    async def resolve(host: str, _port: int) -> Sequence[str]:
        known = numbers.get(host.replace(".", "_"))
        if known is None:
            raise OSError("no such name")
        return known

    return resolve


async def test_a_page_comes_with_its_kind_and_charset() -> None:
    page = Reply(b"\xe4", content_type="Text/HTML; Charset=ISO-8859-1")
    async with WebPages({"/a": page}) as server:
        answer = await WebDoor(lambda: [server.place]).get(f"{server.base}/a?b=c")
    assert (answer.status, answer.content_type, answer.charset) == (200, "text/html", "iso-8859-1")
    assert answer.body == b"\xe4"
    assert answer.address.url == f"{server.base}/a?b=c"
    assert server.requests[0].path == "/a?b=c"


async def test_this_machine_is_closed_without_a_grant() -> None:
    async with WebPages({"/": html("secret")}) as server:
        for url in (server.base, f"http://localhost:{server.port}", f"http://[::1]:{server.port}"):
            with pytest.raises(ToolError, match="this machine"):
                await WebDoor(tuple).get(url)
        assert not server.requests


async def test_nothing_but_the_request_is_sent() -> None:
    cookie = Reply(b"x", 302, headers={"Set-Cookie": "id=1; Path=/", "Location": "/b"})
    async with WebPages({"/a": cookie, "/b": html("b")}) as server:
        door = WebDoor(lambda: [server.place])
        await door.get(f"{server.base}/a")
        await door.get(f"{server.base}/b")
        assert [asked.path for asked in server.requests] == ["/a", "/b", "/b"]
        for asked in server.requests:
            assert not {"cookie", "authorization", "referer"} & set(asked.headers)
            assert asked.headers["host"] == server.place


async def test_no_proxy_of_the_environment_gets_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with WebPages({"/": html("direct")}) as server, WebPages({}) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base)
        answer = await WebDoor(lambda: [server.place]).get(server.base)
        assert answer.body == b"direct"
        assert not proxy.requests


async def test_the_connection_goes_to_the_number_that_was_checked() -> None:
    looked_up: list[str] = []

    async def resolve(host: str, _port: int) -> Sequence[str]:
        looked_up.append(host)
        return ["127.0.0.1"]

    async with WebPages({"/": html("here")}) as server:
        place = f"site.example:{server.port}"
        answer = await WebDoor(lambda: [place], resolve=resolve).get(f"http://{place}/")
        assert answer.body == b"here"
        assert looked_up == ["site.example"]
        assert server.requests[0].headers["host"] == place


async def test_a_name_whose_number_changes_is_checked_anew() -> None:
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])

    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return next(answers)

    async with WebPages({"/": redirect("/keys"), "/keys": html("keys")}) as server:
        place = f"site.example:{server.port}"
        with pytest.raises(ToolError, match="cloud machines"):
            await WebDoor(lambda: [place], resolve=resolve).get(f"http://{place}/")
        assert [asked.path for asked in server.requests] == ["/"]


@pytest.mark.parametrize(
    "target",
    [
        *("http://127.0.0.1:{other}/", "http://localhost:{other}/", "//127.1:{other}/"),
        *("http://[::ffff:127.0.0.1]:{other}/", "http://2130706433:{other}/"),
        *("http://inner.example:{other}/", "http://169.254.169.254/latest/meta-data/"),
        *("file:///etc/passwd", "http://user@127.0.0.1:{other}/"),
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_leads_to_a_closed_place(target: str, status: int) -> None:
    async with WebPages({"/": html("inner")}) as other:
        location = target.replace("{other}", str(other.port))
        async with WebPages({"/": redirect(location, status)}) as server:
            door = WebDoor(
                lambda: [server.place],
                resolve=names(inner_example=["10.0.0.7"], localhost=["127.0.0.1"]),
            )
            with pytest.raises(ToolError):
                await door.get(server.base)
            assert len(server.requests) == 1
        assert not other.requests


async def test_redirects_are_followed_five_times() -> None:
    pages = {f"/{n}": redirect(f"/{n - 1}") for n in range(1, 7)} | {"/0": html("end")}
    async with WebPages(pages) as server:
        door = WebDoor(lambda: [server.place])
        assert (await door.get(f"{server.base}/5")).address.target == "/0"
        with pytest.raises(ToolError, match="more than 5 times"):
            await door.get(f"{server.base}/6")


async def test_the_next_number_is_tried_when_one_does_not_answer() -> None:
    async with WebPages({"/": html("here")}) as server:
        place = f"site.example:{server.port}"
        door = WebDoor(lambda: [place], resolve=names(site_example=["127.0.0.2", "127.0.0.1"]))
        assert (await door.get(f"http://{place}/")).body == b"here"


async def test_a_place_where_nothing_answers_is_said_plainly() -> None:
    async with WebPages({}) as server:
        place, base = server.place, server.base
    with pytest.raises(ToolError, match="could not be reached"):
        await WebDoor(lambda: [place]).get(base)
    with pytest.raises(ToolError, match="No address was found"):
        await WebDoor(tuple, resolve=names()).get("http://nowhere.example/")


SMALL = FetchLimits(body_bytes=10_000)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
async def test_a_packed_body_is_cut_at_its_unpacked_size(pack: Callable[[bytes], bytes]) -> None:
    encoding = "gzip" if pack is gzip.compress else "deflate"
    bomb = pack(b"\0" * 200_000_000)
    reply = Reply(bomb, headers={"Content-Encoding": encoding})
    async with WebPages({"/": reply}) as server:
        answer = await WebDoor(lambda: [server.place], limits=SMALL).get(server.base)
    assert answer.is_cut
    assert len(answer.body) == SMALL.body_bytes


async def test_a_bomb_packed_twice_is_cut_too() -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 200_000_000))
    reply = Reply(bomb, headers={"Content-Encoding": "gzip, gzip"})
    async with WebPages({"/": reply}) as server:
        answer = await WebDoor(lambda: [server.place], limits=SMALL).get(server.base)
    assert len(answer.body) == SMALL.body_bytes


async def test_a_body_of_just_the_limit_is_whole() -> None:
    async with WebPages({"/": Reply(b"x" * SMALL.body_bytes)}) as server:
        answer = await WebDoor(lambda: [server.place], limits=SMALL).get(server.base)
    assert not answer.is_cut
    assert len(answer.body) == SMALL.body_bytes


async def test_a_body_without_an_end_is_left_at_the_limit() -> None:
    async with WebPages({"/": Reply(drip=True)}) as server:
        limits = FetchLimits(body_bytes=20)
        answer = await WebDoor(lambda: [server.place], limits=limits).get(server.base)
    assert answer.is_cut
    assert answer.body == b"." * 20


@pytest.mark.parametrize(
    ("headers", "body"),
    [({"Content-Encoding": "br"}, b"x"), ({"Content-Encoding": "gzip"}, b"this is not packed")],
)
async def test_a_body_that_cannot_be_unpacked_is_an_error(
    headers: dict[str, str], body: bytes
) -> None:
    async with WebPages({"/": Reply(body, headers=headers)}) as server:
        with pytest.raises(ToolError, match="pack"):
            await WebDoor(lambda: [server.place]).get(server.base)


@pytest.mark.parametrize(
    ("page", "limits"),
    [
        (Reply(is_silent=True), FetchLimits(answer_seconds=0.2)),
        (Reply(drip=True), FetchLimits(total_seconds=0.5)),
        (redirect("/"), FetchLimits(total_seconds=0.0)),
    ],
)
async def test_a_slow_server_is_given_up(page: Reply, limits: FetchLimits) -> None:
    async with WebPages({"/": page}) as server:
        async with asyncio.timeout(10):
            with pytest.raises(ToolTimeoutError, match=server.place):
                await WebDoor(lambda: [server.place], limits=limits).get(server.base)


async def test_a_form_is_posted_once() -> None:
    async with WebPages({"/": lambda asked: html(asked.body.decode())}) as server:
        answer = await WebDoor(lambda: [server.place]).post_form(server.base, {"q": "a b&c"})
        assert answer.body == b"q=a+b%26c"
        server.pages["/"] = redirect("/elsewhere")
        with pytest.raises(ToolError, match="redirect"):
            await WebDoor(lambda: [server.place]).post_form(server.base, {"q": "x"})
        assert [asked.path for asked in server.requests] == ["/", "/"]


async def test_the_certificate_must_be_that_of_the_name(tmp_path: Path) -> None:
    told: list[str | None] = []
    server_side, client_side = certificate_for("site.example", tmp_path)
    server_side.sni_callback = lambda _socket, name, _context: told.append(name)

    async with WebPages({"/": html("sealed")}, tls=server_side) as server:
        places = [f"site.example:{server.port}", f"other.example:{server.port}", server.place]
        door = WebDoor(
            lambda: places,
            resolve=names(site_example=["127.0.0.1"], other_example=["127.0.0.1"]),
            tls=lambda: client_side,
        )
        assert (await door.get(f"https://{places[0]}/")).body == b"sealed"
        assert told == ["site.example"]
        for place in places[1:]:
            with pytest.raises(ToolError, match="certificate is not valid"):
                await door.get(f"https://{place}/")


def certificate_for(name: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Contexts of a server with a certificate for `name`, and of a client that trusts it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(file)
    return server_side, ssl.create_default_context(cafile=str(file))
