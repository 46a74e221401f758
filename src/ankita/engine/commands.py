"""What a window or the terminal may ask of the engine, as frozen values in the imperative.

`Engine.submit(command)` returns a future of what the command's docstring names;
a refusal is an AnkitaError in that future and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ankita.config import Motion, ThemeMode
from ankita.ids import AttachmentId, RequestId, TeammateId, ThreadId


class Answer(StrEnum):
    """What a yes covers: this one act, the same tool until the app ends, or a lasting rule."""

    NO = "no"
    YES_ONCE = "yes_once"
    YES_THIS_RUN = "yes_this_run"
    YES_ALWAYS = "yes_always"


@dataclass(frozen=True, slots=True)
class CreateThread:
    """Gives the new ThreadId. The thread is opened at once."""

    teammate_id: TeammateId


@dataclass(frozen=True, slots=True)
class OpenThread:
    """Loads the items of a thread into the state. Gives None."""

    thread_id: ThreadId


@dataclass(frozen=True, slots=True)
class DeleteThread:
    """Stops its turn, then deletes the thread with all its items. Gives None."""

    thread_id: ThreadId


@dataclass(frozen=True, slots=True)
class SaveDraft:
    """Keeps the composer's text. Gives None once it is stored."""

    thread_id: ThreadId
    text: str


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Starts a turn with the text and the thread's ready attachments. Gives the TurnId.

    Refused while a turn of that thread runs or an attachment is still being read.
    A request that waited from before a restart in this thread is withdrawn.
    """

    thread_id: ThreadId
    text: str


@dataclass(frozen=True, slots=True)
class RetryTurn:
    """Asks the model again after a failed or interrupted turn. Gives the TurnId."""

    thread_id: ThreadId


@dataclass(frozen=True, slots=True)
class StopTurn:
    """Gives None once nothing of the turn runs any more; also if nothing ran."""

    thread_id: ThreadId


@dataclass(frozen=True, slots=True)
class DecideApproval:
    """Answers a pending request. `surface` is "island", "window" or "terminal".

    Gives None. Refused, naming who answered first, when it is settled already, and
    when the answer is not offered for that request.
    """

    request_id: RequestId
    answer: Answer
    surface: str


@dataclass(frozen=True, slots=True)
class AttachFile:
    """Starts reading a file for the thread's composer. Gives the AttachmentId at once.

    Refused with the reason when the file is unsupported, too large or not a file.
    """

    thread_id: ThreadId
    path: str


@dataclass(frozen=True, slots=True)
class RemoveAttachment:
    """Cancels the reading or takes the file out of the composer. Gives None."""

    thread_id: ThreadId
    attachment_id: AttachmentId


@dataclass(frozen=True, slots=True)
class UseServer:
    """Lets an OpenAI-compatible server answer from now on. Gives None.

    `key` is stored in the vault first; None keeps what is stored, "" needs no key.
    """

    base_url: str
    model: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class UseBuiltInAssistant:
    """Gives None."""


@dataclass(frozen=True, slots=True)
class CheckServer:
    """Asks a server for its models. Gives a ServerReport; never raises ModelError."""

    base_url: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ServerReport:
    """`problem` is empty when the server answered as it should; then `models` lists ids."""

    models: tuple[str, ...] = ()
    problem: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class RemoveKey:
    """Deletes the stored key of the present server. Gives None."""


@dataclass(frozen=True, slots=True)
class GivePassphrase:
    """Opens or creates the encrypted file where there is no keychain. Gives None."""

    passphrase: str


@dataclass(frozen=True, slots=True)
class KeepKeysForThisRun:
    """Keys live in memory until the app ends. Gives None."""


@dataclass(frozen=True, slots=True)
class GrantFolder:
    """Lets tools use a folder. Gives None. Refused when it is not a folder."""

    path: str
    may_write: bool


@dataclass(frozen=True, slots=True)
class RevokeFolder:
    """Gives None."""

    path: str


@dataclass(frozen=True, slots=True)
class ChangeAppearance:
    """None leaves a setting as it is. Gives None."""

    theme: ThemeMode | None = None
    motion: Motion | None = None
    text_scale: float | None = None


@dataclass(frozen=True, slots=True)
class RemoveRule:
    """Ends a standing permission (never a block), as listed in RuleState. Gives None."""

    kind: str
    server: str
    tool: str
    teammate_id: TeammateId | None = None


@dataclass(frozen=True, slots=True)
class RepairRules:
    """Starts a fresh rules file after the damaged one was kept aside. Gives None."""


@dataclass(frozen=True, slots=True)
class DismissNotice:
    """Gives None."""

    notice_id: str


Command = (
    CreateThread
    | OpenThread
    | DeleteThread
    | SaveDraft
    | SendMessage
    | RetryTurn
    | StopTurn
    | DecideApproval
    | AttachFile
    | RemoveAttachment
    | UseServer
    | UseBuiltInAssistant
    | CheckServer
    | RemoveKey
    | GivePassphrase
    | KeepKeysForThisRun
    | GrantFolder
    | RevokeFolder
    | ChangeAppearance
    | RemoveRule
    | RepairRules
    | DismissNotice
)
