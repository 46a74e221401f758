"""Writes a tiny model file that a real llama.cpp server can load and that always says the same.

The weights are compiled by hand, not trained: embeddings are one-hot and everything
between them and the output is zero, so that the next token depends on the last one
alone. A table of followers is therefore the whole model. Three scripts are in it:

* a plain message is answered with `GREETING`;
* a message that contains `TOOL_WORD` (or "Call the tool", as the product's own test of
  a model does), sent with a tool, is answered with a call of it, whose text arguments
  are `TOOL_ARGUMENT`; of several tools `FAVOURITE_TOOL` is called;
* the result of a tool is answered with `CLOSING`.

A message that contains `ENDLESS_WORD` is answered with `TICK` for ever. The chat
template puts a marker token at the end of the prompt that starts the right script.
The same bytes come out on every run.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

GREETING = "Good day from the tiny model."
CLOSING = "The tool has answered."
TOOL_WORD = "#tool"
TOOL_ARGUMENT = "list.txt"
FAVOURITE_TOOL = "write_file"
"""The product asks before it runs this one."""
ENDLESS_WORD = "#endless"
TICK = " tick"
CONTEXT_TOKENS = 32_768

_GREETING = ("Good", " day", " from", " the", " tiny", " model", ".")
_CLOSING = ("The", " tool", " has", " answered", ".")
_ARGUMENT = ("list", ".txt")
# One token, with the marks around it, can't be mistaken for the text of an argument.
_FAVOURITE = f'name": "{FAVOURITE_TOOL}'

_END, _START, _STOP = "<|end|>", "<|turn|>", "<|stop|>"
_CALL, _CLOSE, _TICKING = "<|call|>", "<|close|>", "<|ticking|>"
_OPEN_CALL, _SHUT_CALL = "<tool_call>", "</tool_call>"
_CONTROL = (_END, _START, _STOP, _CALL, _CLOSE, _TICKING)
_MARKUP = (_OPEN_CALL, _SHUT_CALL)

_HEADS = 4
_FEED_FORWARD = 32
_UNWANTED, _WANTED, _STEP = -8.0, 48.0, 6.0

_TEMPLATE = """\
{%- if tools -%}
<|turn|>system
Call a tool by writing one JSON object between the tags:
<tool_call>
{"name": <name>, "arguments": <object>}
</tool_call>
Tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|stop|>
{% endif -%}
{%- for message in messages -%}
<|turn|>{{ message.role }}
{% if message.content %}{{ message.content }}{% endif -%}
{%- for call in message.tool_calls or [] -%}
{%- set wanted = call.function or call %}
<tool_call>
{"name": "{{ wanted.name }}", "arguments": {{ wanted.arguments | tojson }}}
</tool_call>
{%- endfor -%}
<|stop|>
{% endfor -%}
{%- if add_generation_prompt -%}
<|turn|>assistant
{% set last = messages[-1] -%}
{%- if last.role == 'tool' -%}<|close|>
{%- elif tools and last.role == 'user' and ('#tool' in last.content
    or 'Call the tool' in last.content) -%}<|call|>
{%- elif last.role == 'user' and '#endless' in last.content -%}<|ticking|>
{%- endif -%}
{%- endif -%}
"""


class _Vocabulary:
    """Every byte, the words of the scripts with the merges that build them, the controls."""

    def __init__(self) -> None:
        self._letters = _byte_letters()
        self.tokens = [self._letters[byte] for byte in range(256)]
        self.merges: list[str] = []
        for word in (*_GREETING, *_CLOSING, *_ARGUMENT, TICK, _FAVOURITE):
            self._add_word(word)
        self.plain_count = len(self.tokens)
        self.tokens += [*_CONTROL, *_MARKUP]
        self._index = {token: number for number, token in enumerate(self.tokens)}

    def number(self, text: str) -> int:
        """The token for this text, or for this control mark."""
        is_mark = text in _CONTROL or text in _MARKUP
        return self._index[text if is_mark else self._spelled(text)]

    def _add_word(self, word: str) -> None:
        spelled = self._spelled(word)
        for length in range(2, len(spelled) + 1):
            merge = f"{spelled[: length - 1]} {spelled[length - 1]}"
            if merge not in self.merges:
                self.merges.append(merge)
                self.tokens.append(spelled[:length])

    def _spelled(self, text: str) -> str:
        return "".join(self._letters[byte] for byte in text.encode())


def write_tiny_model(path: Path) -> Path:
    """Write the model file and return its path. Needs `gguf` and `numpy`."""
    import gguf

    words = _Vocabulary()
    size = len(words.tokens)
    width = -(-size // 64) * 64
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny-followers")
    writer.add_description("A table of followers for tests of the wire format; no language model.")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_context_length(CONTEXT_TOKENS)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_FEED_FORWARD)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(width // _HEADS)
    _write_tokenizer(writer, words)
    for name, tensor in _tensors(words, width):
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _write_tokenizer(writer: Any, words: _Vocabulary) -> None:
    from gguf import TokenType

    kinds = [TokenType.NORMAL] * words.plain_count
    kinds += [TokenType.CONTROL] * len(_CONTROL) + [TokenType.USER_DEFINED] * len(_MARKUP)
    writer.add_vocab_size(len(words.tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(words.tokens)
    writer.add_token_types([int(kind) for kind in kinds])
    writer.add_token_merges(words.merges)
    writer.add_bos_token_id(words.number(_END))
    writer.add_pad_token_id(words.number(_END))
    writer.add_eos_token_id(words.number(_STOP))
    writer.add_add_bos_token(False)
    writer.add_chat_template(_TEMPLATE)


def _tensors(words: _Vocabulary, width: int) -> Iterable[tuple[str, Any]]:
    import numpy as np

    size = len(words.tokens)
    key_width = width // _HEADS
    # A one-hot row of this length keeps its size through the model's normalisation.
    embedding = np.zeros((size, width), np.float16)
    embedding[np.arange(size), np.arange(size)] = width**0.5
    output = np.zeros((size, width), np.float16)
    output[:, :size] = _followers(words).T / width**0.5

    def zero(*shape: int) -> Any:
        return np.zeros(shape, np.float16)

    yield "token_embd.weight", embedding
    yield "output.weight", output
    for norm in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        yield f"{norm}.weight", np.ones(width, np.float32)
    yield "blk.0.attn_q.weight", zero(width, width)
    yield "blk.0.attn_k.weight", zero(key_width, width)
    yield "blk.0.attn_v.weight", zero(key_width, width)
    yield "blk.0.attn_output.weight", zero(width, width)
    yield "blk.0.ffn_gate.weight", zero(_FEED_FORWARD, width)
    yield "blk.0.ffn_up.weight", zero(_FEED_FORWARD, width)
    yield "blk.0.ffn_down.weight", zero(width, _FEED_FORWARD)


def _followers(words: _Vocabulary) -> Any:
    """Row: the last token. Column: how much each token is wanted after it."""
    import numpy as np

    size = len(words.tokens)
    table = np.full((size, size), _UNWANTED, np.float32)
    # Inside a call the server's grammar forbids most tokens; of what it allows, the
    # ones that end a text, a list or an object come first, so that calls stay short.
    for rank, mark in enumerate(('"', "}", "]", _STOP, "1", "t")):
        table[:, words.number(mark)] = 6.0 - rank

    def follow(last: str, *wanted: str) -> None:
        for rank, token in enumerate(wanted):
            table[words.number(last), words.number(token)] = _WANTED - _STEP * rank

    def script(start: str, sentence: tuple[str, ...]) -> None:
        for last, token in zip((start, *sentence), sentence, strict=False):
            follow(last, token)

    script("\n", _GREETING)
    script(_CLOSE, _CLOSING)
    follow(".", _STOP)
    follow(_TICKING, TICK)
    follow(TICK, TICK)
    follow(_CALL, _OPEN_CALL)
    follow(_OPEN_CALL, "\n", "{")
    follow("\n", "Good", _OPEN_CALL, "{", "<")
    follow(_SHUT_CALL, _STOP)
    follow('"', _FAVOURITE, _ARGUMENT[0], ":", "]", "}", ",")
    follow(_FAVOURITE, '"')
    script(_ARGUMENT[0], _ARGUMENT[1:])
    follow(_ARGUMENT[-1], '"')
    follow(":", " ", '"')
    follow(",", " ", '"')
    follow(" ", '"', "{", "1")
    follow("1", "}", "]", ",")
    follow("}", '"', "}", "]", "\n", _STOP)
    return table


def _byte_letters() -> dict[int, str]:
    """The letter that stands for each byte in this kind of tokenizer.

    Printable bytes stand for themselves; the others take the letters from U+0100 on.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = (byte for byte in range(256) if byte not in printable)
    letters = {byte: chr(byte) for byte in printable}
    return letters | {byte: chr(0x100 + place) for place, byte in enumerate(others)}
