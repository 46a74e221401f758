"""What a window or the terminal may ask of the engine, as frozen values in the imperative.

`Engine.submit(command)` returns a future of what the command's docstring names;
a refusal is an AnkitaError in that future and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ankita.config import Motion, ServerSettings, ThemeMode, WireFormat
from ankita.ids import AttachmentId, ItemId, RequestId, TeammateId, ThreadId


class Answer(StrEnum):
    """What a yes covers: this one act, the same tool until the app ends, or a lasting rule.

    NOT_NOW parks the call: it is not run now, and can be answered later in Approvals.
    """

    NO = "no"
    NOT_NOW = "not_now"
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

    While a turn of that thread runs, the message is queued, and None is given: it goes
    in at the turn's next step, or starts the next turn. Refused while an attachment is
    still being read. A request that waited from before a restart in this thread is
    withdrawn.
    """

    thread_id: ThreadId
    text: str


@dataclass(frozen=True, slots=True)
class UnqueueMessage:
    """Takes a queued message back; its text joins the thread's draft. Gives None."""

    thread_id: ThreadId
    queued_id: str


@dataclass(frozen=True, slots=True)
class PinItem:
    """Keeps a message in every request of its thread, or no longer. Gives None."""

    thread_id: ThreadId
    item_id: ItemId
    is_pinned: bool = True


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

    `days` ends a lasting rule (YES_ALWAYS) after so many days; None lets it last.
    Gives None. Refused, naming who answered first, when it is settled already, and
    when the answer is not offered for that request.
    """

    request_id: RequestId
    answer: Answer
    surface: str
    days: int | None = None


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
    """Lets a model server answer from now on, then tries how its model can act. Gives None.

    `key` is stored in the vault first; None keeps what is stored, "" needs no key.
    With `teammate_id` it answers for that teammate alone. An offer for the address is
    accepted by this.
    """

    base_url: str
    model: str
    key: str | None = None
    wire: WireFormat = WireFormat.OPENAI
    teammate_id: TeammateId | None = None


@dataclass(frozen=True, slots=True)
class LookForServers:
    """Looks for model servers on this machine; nothing is sent to them but GET questions
    about themselves. Gives the number of offers."""


@dataclass(frozen=True, slots=True)
class DeclineServer:
    """Never offer this address again. Gives None."""

    base_url: str


@dataclass(frozen=True, slots=True)
class TryModel:
    """Runs the self-test of the present model again. Gives its ToolMode."""

    teammate_id: TeammateId | None = None


@dataclass(frozen=True, slots=True)
class UseModelFile:
    """Lets a GGUF file that Ankita runs itself answer from now on. Gives None.

    Refused when it is no such file, or when the `local` extra is not installed.
    """

    path: str


@dataclass(frozen=True, slots=True)
class ListModels:
    """Asks the model hub what can be fetched. Gives a tuple of ModelOffer. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class ModelOffer:
    """A model file that could be fetched, as its hub describes it now. `size` in bytes."""

    id: str
    name: str
    publisher: str
    licence: str
    size: int
    sha256: str
    host: str
    note: str = ""
    """For whom it is: "Runs on any machine", "Wants 8 GB of memory"."""


@dataclass(frozen=True, slots=True)
class DownloadModel:
    """Fetches a model the user agreed to, checks its hash, and uses it. Gives None at once.

    The yes covers the file with this hash and no other. The state shows how far it is.
    """

    offer: ModelOffer


@dataclass(frozen=True, slots=True)
class CancelDownload:
    """Ends a download; what was fetched is kept for later unless `discard`. Gives None."""

    discard: bool = False


@dataclass(frozen=True, slots=True)
class CreateTeammate:
    """Gives the new TeammateId. Refused when there are four already."""

    name: str
    look: str
    instructions: str = ""
    server: ServerSettings | None = None


@dataclass(frozen=True, slots=True)
class ChangeTeammate:
    """Gives None. A running turn keeps what it started with."""

    teammate_id: TeammateId
    name: str
    look: str
    instructions: str = ""
    server: ServerSettings | None = None


@dataclass(frozen=True, slots=True)
class RemoveTeammate:
    """Stops its turns and deletes it with all its threads. Gives None.

    Refused for the last one.
    """

    teammate_id: TeammateId


@dataclass(frozen=True, slots=True)
class UseBuiltInAssistant:
    """Gives None. With `teammate_id` that teammate uses what the settings say again."""

    teammate_id: TeammateId | None = None


@dataclass(frozen=True, slots=True)
class CheckServer:
    """Asks a server for its models. Gives a ServerReport; never raises ModelError."""

    base_url: str
    key: str | None = None
    wire: WireFormat = WireFormat.OPENAI


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
class ChangeWeb:
    """Where web search asks, and which private hosts web tools may reach. Gives None.

    None leaves a setting as it is; an empty `search_url` means the keyless default.
    Refused, naming what is wrong, when an address or a host is none.
    """

    search_url: str | None = None
    private_hosts: tuple[str, ...] | None = None


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
    | UnqueueMessage
    | PinItem
    | RetryTurn
    | StopTurn
    | DecideApproval
    | AttachFile
    | RemoveAttachment
    | UseServer
    | LookForServers
    | DeclineServer
    | TryModel
    | UseModelFile
    | ListModels
    | DownloadModel
    | CancelDownload
    | CreateTeammate
    | ChangeTeammate
    | RemoveTeammate
    | UseBuiltInAssistant
    | CheckServer
    | RemoveKey
    | GivePassphrase
    | KeepKeysForThisRun
    | GrantFolder
    | RevokeFolder
    | ChangeAppearance
    | ChangeWeb
    | RemoveRule
    | RepairRules
    | DismissNotice
)
