"""Writes tallywire/records.py from the documents of a running service.

    python3 make_records.py http://127.0.0.1:8080 > tallywire/records.py

A test of the service compares the file with what this prints, so the types cannot drift from the interface.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import httpx

HEAD = '''"""Everything on the wire, as types. Made by make_records.py from the documents of the service."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''
WIDTH = 110
PREFIX = "#/components/schemas/"
#: What a reader of the feed sends; the client makes these by itself.
FROM_CLIENT = {"auth", "subscribe", "unsubscribe", "ping"}

Schema = dict[str, Any]


class Writer:
    """Collects one class for each object, those that others hold first."""

    def __init__(self) -> None:
        self.classes: dict[str, str] = {}

    def add(self, name: str, schema: Schema, rename: dict[str, str]) -> None:
        text = self._class_of(name, schema, rename)
        if self.classes.setdefault(name, text) != text:
            raise SystemExit(f"two different records are called {name}")

    def _class_of(self, name: str, schema: Schema, rename: dict[str, str]) -> str:
        if "properties" not in schema:
            return f"{name} = {self._type_of(schema, name, rename)}\n"
        required = set(schema.get("required", []))
        fields: list[tuple[str, str]] = []
        for field, value in schema["properties"].items():
            kind = self._type_of(value, name + pascal(field), rename)
            fields.append((field, kind if field in required else f"NotRequired[{kind}]"))
        if any(keyword.iskeyword(field) or not field.isidentifier() for field, _ in fields):
            # Quoted, since classes of this form are made when the file is loaded.
            inner = "".join(f'        "{field}": {quoted(kind)},\n' for field, kind in fields)
            return f'{name} = TypedDict(\n    "{name}",\n    {{\n{inner}    }},\n)\n'
        lines = "".join(wrapped(f"    {field}: ", kind, " " * 8) + "\n" for field, kind in fields)
        return f"class {name}(TypedDict):\n{lines}"

    def _type_of(self, schema: Schema, name: str, rename: dict[str, str]) -> str:
        if "$ref" in schema:
            target = schema["$ref"].removeprefix(PREFIX)
            return rename.get(target, target)
        if "const" in schema:
            return f"Literal[{literal(schema['const'])}]"
        if "enum" in schema:
            return f"Literal[{', '.join(literal(value) for value in schema['enum'])}]"
        if "anyOf" in schema:
            return union(self._type_of(each, name + kind_of(each), rename) for each in schema["anyOf"])
        kind = schema.get("type")
        if isinstance(kind, list):
            return union(self._type_of({**schema, "type": each}, name, rename) for each in kind)
        if kind == "array":
            items = schema.get("prefixItems") or [schema["items"]]
            return f"list[{union(self._type_of(each, name, rename) for each in items)}]"
        if kind == "object" and "properties" in schema:
            self.add(name, schema, rename)
            return name
        if kind == "object":
            return "dict[str, Any]"
        plain = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
        if kind is None:
            return "Any"
        return plain[kind]


def pascal(field: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in field.replace("-", "_").split("_"))


def kind_of(schema: Schema) -> str:
    """Tells the records of a union apart that have a `kind`; nothing for others."""
    return pascal(schema.get("properties", {}).get("kind", {}).get("const", ""))


def quoted(kind: str) -> str:
    return json.dumps(kind) if "NotRequired" not in kind else f"NotRequired[{json.dumps(kind[12:-1])}]"


def literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def union(kinds: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(kinds))


def wrapped(start: str, kind: str, indent: str) -> str:
    """Lines that are short enough to read; they may only be broken inside brackets."""
    line = start + kind
    if len(line) <= WIDTH:
        return line
    line = line if kind.endswith("]") and " | " not in kind else f"{start}({kind})"
    return "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False))


def frame_name(name: str) -> str:
    """`tweetsRecord`, `tweetsUpdate`, and `HeartbeatFrame` for a message that is no channel's."""
    if name == "AsOf":
        return name
    return pascal(name) if name.endswith(("Record", "Snapshot", "Update")) else f"{pascal(name)}Frame"


def records_text(openapi: Schema, asyncapi: Schema) -> str:
    writer = Writer()
    for name, schema in openapi["components"]["schemas"].items():
        writer.add(name, schema, {})
    messages = {
        name: schema for name, schema in asyncapi["components"]["schemas"].items() if name not in FROM_CLIENT
    }
    rename = {name: frame_name(name) for name in messages}
    for name, schema in messages.items():
        writer.add(rename[name], schema, rename)
    channels = [name.removesuffix("Snapshot") for name in messages if name.endswith("Snapshot")]
    unions = [
        f"{pascal(channel)}Frame = {pascal(channel)}Snapshot | {pascal(channel)}Update"
        for channel in channels
    ]
    data = " | ".join(f"{pascal(channel)}Frame" for channel in channels)
    names = ", ".join(json.dumps(channel) for channel in channels)
    tail = [*unions, wrapped("Frame = ", data, "    "), f"DataChannel = Literal[{names}]"]
    return "\n\n".join([HEAD, *writer.classes.values(), "\n".join(tail) + "\n"])


def main(url: str) -> None:
    openapi, asyncapi = (
        httpx.get(f"{url}/api/v1/{name}.json", timeout=60).json() for name in ("openapi", "asyncapi")
    )
    sys.stdout.write(records_text(openapi, asyncapi))


if __name__ == "__main__":
    main(sys.argv[1])
