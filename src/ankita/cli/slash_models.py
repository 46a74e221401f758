"""The commands about what answers: servers that were found, their keys, how a model acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ankita.cli.lines import answering_words, offer_lines
from ankita.cli.slash_threads import chosen
from ankita.cli.talk import Talk
from ankita.config import ServerSettings, ToolMode
from ankita.engine import commands as c
from ankita.engine.state import ServerOffer
from ankita.errors import AnkitaError
from ankita.ids import TeammateId

_MODES = {
    ToolMode.NATIVE: "It can act: it calls tools by itself.",
    ToolMode.JSON_ACTION: "It can act: it writes each act as JSON.",
    ToolMode.CHAT_ONLY: "It can talk, but not act.",
    ToolMode.UNKNOWN: "That could not be found out. It is asked to call tools by itself.",
}
_NO_TERMINAL = "It is typed at a terminal, where it is not shown."


class ModelCommands:
    """`has_passphrase` says whether a passphrase was chosen for the keys already."""

    def __init__(self, talk: Talk, has_passphrase: Callable[[], bool]) -> None:
        self._talk = talk
        self._has_passphrase = has_passphrase

    def by_name(self) -> dict[str, Callable[[str], object]]:
        return {
            "model": lambda _: self._model(),
            "servers": lambda _: self._servers(),
            "use": self._use_offer,
            "decline": self._decline,
            "server": self._server,
            "key": self._key,
            "passphrase": lambda _: self._passphrase(),
            "try": lambda _: self._try(),
            "builtin": lambda _: self._builtin(),
        }

    def _say(self, line: str) -> None:
        self._talk.console.say(line)

    def _model(self) -> None:
        self._say(answering_words(self._talk.answering()))

    def _servers(self) -> None:
        self._talk.do(c.LookForServers())
        self._talk.news.offers.take(self._talk.engine.state.offers)
        numbered = self._talk.news.offers.numbered()
        for number, offer in numbered:
            for line in offer_lines(number, offer):
                self._say(line)
        if not numbered:
            self._say("No model server was found on this machine that is not in use or declined.")

    def _offer(self, number: str) -> ServerOffer | None:
        self._talk.news.offers.take(self._talk.engine.state.offers)
        offer = self._talk.news.offers.get(number)
        if offer is None:
            self._say("Say which one: /servers lists them with numbers.")
        return offer

    def _use_offer(self, argument: str) -> None:
        number, _, name = argument.partition(" ")
        offer = self._offer(number)
        if offer is None:
            return
        key = self._ask_key(offer.base_url) if offer.needs_key else None
        if offer.needs_key and not key:
            return
        models = [model.name for model in offer.models] or self._listed(offer, key)
        model = self._choose(models, name.strip(), f"/use {number}")
        if model:
            self._use(c.UseServer(offer.base_url, model, key, offer.wire))

    def _listed(self, offer: ServerOffer, key: str | None) -> Sequence[str]:
        report = self._talk.do(c.CheckServer(offer.base_url, key, offer.wire))
        if report.problem:
            self._say(report.problem)
        return tuple(report.models)

    def _choose(self, models: Sequence[str], name: str, usage: str) -> str | None:
        """The model that was named, by its name or its number, or the only one."""
        if name:
            found = name if name in models else chosen(models, name)
            if found is None:
                self._say(f"It has no model {name}. It has: {', '.join(models) or 'none'}")
            return found
        if len(models) == 1:
            return models[0]
        for number, model in enumerate(models, start=1):
            self._say(f"{number:3} {model}")
        self._say(f"Say which one: {usage} MODEL" if models else "It offers no model.")
        return None

    def _decline(self, argument: str) -> None:
        offer = self._offer(argument)
        if offer is not None:
            self._talk.do(c.DeclineServer(offer.base_url))
            self._say(f"{offer.kind} at {offer.base_url} is not offered again.")

    def _server(self, argument: str) -> None:
        url, _, model = argument.partition(" ")
        if not url:
            self._say("Say which one: /server URL MODEL")
            return
        if not model:
            report = self._talk.do(c.CheckServer(url))
            self._say(report.problem or "Models there: " + ", ".join(report.models))
            return
        self._use(c.UseServer(url, model.strip()))

    def _key(self, argument: str) -> None:
        if argument:
            self._say("Not here, where it is seen: type /key alone, and then the key.")
            return
        server, owner = self._present_server()
        if server is None or server.file:
            self._say("What answers now wants no key.")
            return
        if key := self._ask_key(server.base_url):
            self._use(c.UseServer(server.base_url, server.model, key, server.wire, owner))

    def _present_server(self) -> tuple[ServerSettings | None, TeammateId | None]:
        """The server that answers here, and whose own it is."""
        teammate = self._talk.teammate()
        if teammate.server is not None:
            return teammate.server, teammate.id
        return self._talk.engine.state.settings.server, None

    def _ask_key(self, base_url: str) -> str | None:
        key = self._talk.console.secret(f"Key for {base_url} (not shown): ")
        if key is None:
            self._say(f"This server wants a key. {_NO_TERMINAL}")
        elif not key.strip():
            self._say("No key was given. Nothing was changed.")
        return key.strip() if key else None

    def _use(self, command: c.UseServer) -> None:
        try:
            self._talk.do(command)
        except AnkitaError as error:
            needs = self._talk.engine.state.vault.needs_passphrase
            if not (command.key and needs and self._talk.console.is_terminal):
                raise
            self._say(error.sentence())
            if not self._passphrase():
                return
            self._talk.do(command)
        self._model()

    def _passphrase(self) -> bool:
        """Open the place for keys; whether it is open now."""
        secret = self._talk.console.secret
        given = secret("Passphrase for your keys (empty: keep them only until Ankita ends): ")
        if given is None:
            self._say(f"No passphrase was given. {_NO_TERMINAL}")
            return False
        if not given:
            self._talk.do(c.KeepKeysForThisRun())
            self._say("Keys are kept until Ankita ends.")
            return True
        if not self._has_passphrase() and secret("The same again: ") != given:
            self._say("The two were not the same. Nothing was changed.")
            return False
        self._talk.do(c.GivePassphrase(given))
        self._say("Your keys are open.")
        return True

    def _try(self) -> None:
        _, owner = self._present_server()
        mode = self._talk.do(c.TryModel(owner))
        self._say(_MODES[ToolMode(mode)])

    def _builtin(self) -> None:
        self._talk.do(c.UseBuiltInAssistant())
        self._model()
