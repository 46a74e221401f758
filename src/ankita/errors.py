"""Every error of the product, in one tree.

    AnkitaError
    ├── ProfileError            the profile folder or its lock
    │   └── ProfileInUseError
    ├── StoredDataError         something on disk that must not be overwritten
    │   ├── DamagedDataError
    │   └── NewerDataError
    ├── WriteError              a write did not become durable; the old content is whole
    │   └── DiskFullError
    ├── VaultError              the place where keys live
    │   ├── VaultUnavailableError
    │   └── VaultLockedError
    ├── ModelError              a model server: who is at fault, and what to do
    │   ├── ModelUnreachableError   nothing answers at that address
    │   │   └── ModelHungUpError    it took the request and closed the connection
    │   ├── ModelTimeoutError       it answers too slowly
    │   ├── ModelProtocolError      it answers, but not as a model server does
    │   │   └── ModelMalformedError     one piece of a reply cannot be read
    │   ├── ModelAuthenticationError
    │   ├── ModelRateLimitError     asked too often; waiting helps
    │   ├── ModelQuotaError         quota or credit used up; waiting a moment does not help
    │   ├── ModelPaidError          the model must be paid for
    │   ├── ModelClientError        a route that serves only certain other programs
    │   ├── ModelContextError       longer than the model's context
    │   ├── ModelLoadingError
    │   ├── ModelUnavailableError   the server or what is behind it fails just now
    │   ├── ModelRefusedError       any other answer that says no
    │   └── ModelInterruptedError   the stream ended before the reply did
    ├── ToolError               told to the model as the call's result
    │   ├── ToolArgumentsError
    │   ├── ScopeError              outside the workspace and the granted folders
    │   └── ToolTimeoutError
    ├── DocumentError           a file that could not be read, and why
    │   ├── UnsupportedDocumentError
    │   ├── DocumentTooLargeError
    │   └── UnreadableDocumentError
    └── CommandRefusedError     the engine will not do what a window asked, and why

A boundary turns foreign errors into these. `str(error)` is one plain sentence for
the user; `advice` says what to do about it and may be empty.
"""

from __future__ import annotations


class AnkitaError(Exception):
    """Root of the tree. `message` is one plain sentence; `advice` says what to do."""

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return self.message

    def sentence(self) -> str:
        """The message followed by the advice, for places that show one text."""
        return f"{self.message} {self.advice}".strip()


class ProfileError(AnkitaError):
    """The profile folder cannot be used."""


class ProfileInUseError(ProfileError):
    """Another process runs the engine on this profile."""


class StoredDataError(AnkitaError):
    """A stored file cannot be used as it is. It was kept."""


class DamagedDataError(StoredDataError):
    """Cannot be parsed."""


class NewerDataError(StoredDataError):
    """Written by a newer version of the product."""


class WriteError(AnkitaError):
    """A write did not become durable. The old content is whole."""


class DiskFullError(WriteError):
    """No space left where the product keeps its data."""


class VaultError(AnkitaError):
    """A secret could not be stored, read or removed."""


class VaultUnavailableError(VaultError):
    """No usable keychain, and no passphrase for the encrypted file."""


class VaultLockedError(VaultError):
    """The keychain or the encrypted file is locked or the passphrase is wrong."""


class ModelError(AnkitaError):
    """A request to a model failed."""


class ModelUnreachableError(ModelError):
    """Nothing answers at the server's address."""


class ModelHungUpError(ModelUnreachableError):
    """The server took the request and closed the connection without an answer."""


class ModelTimeoutError(ModelError):
    """The server is there but sent nothing useful in time."""


class ModelProtocolError(ModelError):
    """The answer is not that of an OpenAI-compatible server."""


class ModelMalformedError(ModelProtocolError):
    """One piece of a streamed reply cannot be read; nothing after it was used."""


class ModelAuthenticationError(ModelError):
    """The key is missing or refused."""


class ModelRateLimitError(ModelError):
    """Too many requests. `retry_after_seconds` is the server's hint, if any."""

    def __init__(
        self, message: str, *, advice: str = "", retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(message, advice=advice)
        self.retry_after_seconds = retry_after_seconds


class ModelQuotaError(ModelError):
    """The quota or credit is used up; asking again does not help."""


class ModelPaidError(ModelError):
    """The model is only for accounts that pay for it."""


class ModelClientError(ModelError):
    """The route serves only certain other programs; Ankita does not pretend to be one."""


class ModelContextError(ModelError):
    """The conversation is longer than the model's context. Figures in tokens, where told."""

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        prompt_tokens: int | None = None,
        context_tokens: int | None = None,
    ) -> None:
        super().__init__(message, advice=advice)
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens


class ModelLoadingError(ModelError):
    """The server is still loading the model."""


class ModelUnavailableError(ModelError):
    """The server, or what stands behind it, could not serve the request just now.

    `retry_after_seconds` is the server's hint, if any.
    """

    def __init__(
        self, message: str, *, advice: str = "", retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(message, advice=advice)
        self.retry_after_seconds = retry_after_seconds


class ModelNotRunnableError(ModelUnavailableError):
    """The model's file can't be run here as things are; asking again at once does not help."""


class ModelRefusedError(ModelError):
    """The server answered with an error that fits no other class."""


class ModelInterruptedError(ModelError):
    """The stream broke off before the reply was finished."""


class ToolError(AnkitaError):
    """A tool could not do what it was asked; the model reads this text."""


class ToolArgumentsError(ToolError):
    """The arguments do not fit the tool's schema. `field` names the first wrong one."""

    def __init__(self, message: str, *, field: str = "", advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.field = field


class ScopeError(ToolError):
    """A path outside the workspace and the granted folders."""


class ToolTimeoutError(ToolError):
    """The tool ran past its time limit and was ended."""


class DocumentError(AnkitaError):
    """A document could not be read."""


class UnsupportedDocumentError(DocumentError):
    """No reader for this kind of file."""


class DocumentTooLargeError(DocumentError):
    """Over a limit on size, pages or unpacked bytes."""


class UnreadableDocumentError(DocumentError):
    """Broken, encrypted, or it took more time or memory than allowed."""


class CommandRefusedError(AnkitaError):
    """The engine refused a command; nothing changed."""
