"""What the usual model servers answer when they are asked about themselves, by path."""

from __future__ import annotations

from typing import Any

from tests.servers.http_answers import Reply

Answers = dict[str, Any]


def listed(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"object": "list", "data": [{"object": "model", "created": 1, **row} for row in rows]}


OLLAMA: Answers = {
    "/v1/models": listed(
        {"id": "llama3.1:8b", "owned_by": "library"},
        {"id": "embedder:latest", "owned_by": "library"},
    ),
    "/api/version": {"version": "0.23.1"},
    "/api/tags": {
        "models": [
            {"name": "llama3.1:8b", "model": "llama3.1:8b", "size": 4_900_000_000},
            {"name": "embedder:latest", "capabilities": ["embedding"]},
        ]
    },
    "/api/ps": {"models": [{"name": "llama3.1:8b", "context_length": 8192}]},
}

OLLAMA_EMPTY: Answers = {
    "/v1/models": {"object": "list", "data": None},
    "/api/version": {"version": "0.23.1"},
    "/api/tags": {"models": []},
}

LM_STUDIO: Answers = {
    "/v1/models": listed(
        {"id": "qwen3-vl", "owned_by": "organization_owner"},
        {"id": "nomic", "owned_by": "organization_owner"},
    ),
    "/api/v1/models": {
        "models": [
            {
                "type": "llm",
                "key": "qwen3-vl",
                "max_context_length": 262_144,
                "loaded_instances": [{"id": "qwen3-vl", "config": {"context_length": 16_000}}],
                "capabilities": {"vision": True, "trained_for_tool_use": True},
            },
            {"type": "embedding", "key": "nomic", "max_context_length": 2048},
        ]
    },
}

LM_STUDIO_FORMER: Answers = {
    "/v1/models": listed({"id": "phi", "owned_by": "organization_owner"}),
    "/api/v1/models": {"error": "Unexpected endpoint or method. (GET /api/v1/models)"},
    "/api/v0/models": {
        "data": [
            {
                "id": "phi",
                "type": "llm",
                "state": "not-loaded",
                "max_context_length": 4096,
                "capabilities": [],
            }
        ]
    },
}

LM_STUDIO_GUARDED: Answers = {
    "/v1/models": Reply(
        {
            "error": {
                "message": "An LM Studio API token is required to make requests.",
                "type": "invalid_request_error",
                "code": "invalid_api_key",
            }
        },
        401,
    )
}

LLAMA_CPP_LOADING: Answers = {
    "/v1/models": Reply(
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, 503
    )
}

VLLM: Answers = {
    "/v1/models": listed(
        {"id": "org/model", "root": "org/model", "owned_by": "vllm", "max_model_len": 32_768}
    ),
    "/version": {"version": "0.14.0"},
}

VLLM_GUARDED: Answers = {
    "/v1/models": Reply({"error": "Unauthorized"}, 401),
    "/version": {"version": "0.14.0"},
}

JAN: Answers = {"/v1/models": Reply(b"Invalid or missing authorization token", 401)}

DOCKER: Answers = {
    "/engines/v1/models": listed({"id": "ai/smollm2", "owned_by": "docker"}),
}

KOBOLD: Answers = {
    "/v1/models": listed({"id": "koboldcpp/tiny", "owned_by": "koboldcpp"}),
    "/api/version": {"version": "0.7.0"},
    "/api/tags": {"models": []},
}

WEB_UI: Answers = {
    "/v1/models": listed({"id": "gpt-3.5-turbo", "owned_by": "user"}),
    "/v1/internal/model/info": {"model_name": "tiny.gguf", "lora_names": []},
}

LOCAL_AI: Answers = {
    "/v1/models": {"object": "list", "data": [{"id": "phi-2", "object": "model"}]},
    "/version": {"version": "v3.9.0 (abc)"},
}

MLX: Answers = {
    "/v1/models": Reply(listed({"id": "org/mlx"}), headers={"Server": "BaseHTTP/0.6 Python/3.12"}),
    "/health": {"status": "ok"},
}

GPT4ALL: Answers = {"/v1/models": listed({"id": "Llama 3 8B", "owned_by": "humanity"})}

UNNAMED: Answers = {"/v1/models": listed({"id": "some-model", "owned_by": "me"})}

GATEWAY: Answers = {
    "/v1/models": {
        "data": [
            {
                "id": "vendor/free",
                "isFree": True,
                "context_length": 128_000,
                "architecture": {"input_modalities": ["text", "image"]},
                "supported_parameters": ["tools", "temperature"],
                "pricing": {"prompt": "0", "completion": "0"},
            },
            {"id": "vendor/paid", "pricing": {"prompt": "0.000002", "completion": "0.00001"}},
            {"id": "vendor/account", "isFree": False, "pricing": {"prompt": "0"}},
            {"id": "vendor/odd", "pricing": {"prompt": "ask us", "completion": "0"}},
        ]
    }
}

KINDS: dict[str, tuple[Answers, str]] = {
    "Ollama": (OLLAMA, "llama3.1:8b"),
    "LM Studio": (LM_STUDIO, "qwen3-vl"),
    "vLLM": (VLLM, "org/model"),
    "Docker Model Runner": (DOCKER, "ai/smollm2"),
    "KoboldCpp": (KOBOLD, "koboldcpp/tiny"),
    "text-generation-webui": (WEB_UI, "gpt-3.5-turbo"),
    "LocalAI": (LOCAL_AI, "phi-2"),
    "MLX-LM": (MLX, "org/mlx"),
    "GPT4All": (GPT4ALL, "Llama 3 8B"),
    "OpenAI-compatible server": (UNNAMED, "some-model"),
}
"""By kind: the answers, and the first model that is offered."""

NO_MODEL_SERVER: dict[str, Answers] = {
    "a web page": {"/v1/models": Reply(b"<html>Welcome</html>"), "/": Reply(b"<html></html>")},
    "nothing but 404": {},
    "a shop": {"/v1/models": {"data": [{"id": "roadster", "doors": 2}]}},
    "a health page": {"/v1/models": {"status": "ok"}, "/health": {"status": "ok"}},
    "a guarded site": {"/v1/models": Reply({"error": "login first"}, 401)},
    "another guarded site": {"/v1/models": Reply({"error": {"message": "no"}}, 403)},
    "a redirect": {"/v1/models": Reply(b"", 302, {"Location": "/elsewhere"})},
    "an error": {"/v1/models": Reply({"error": {"message": "oops"}}, 500)},
    "a number": {"/v1/models": 7},
    "nested too deep": {"/v1/models": Reply(b"[" * 100_000)},
    "packed": {"/v1/models": Reply(b"\x1f\x8b\x08\x00", headers={"Content-Encoding": "gzip"})},
}
