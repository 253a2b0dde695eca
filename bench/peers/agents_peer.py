"""OpenAI Agents SDK: two agents. The second is a tool of the first one."""

import json
import pathlib
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, SQLiteSession, Tool, Usage, set_tracing_disabled
from agents.items import TResponseInputItem, TResponseStreamEvent
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from scene import ANSWER, ASKS_IN_A_CONVERSATION, INNER_QUESTION, QUESTION


class InstantModel(Model):
    """A model that takes no time. It calls its tool, if it has one, and then says ok."""

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: Any,
        tools: list[Tool],
        *args: Any,
        **kwargs: Any,
    ) -> ModelResponse:
        if tools and not ends_with_result(input):
            return response(call(tools[0].name))
        return response(message(ANSWER))

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError


def ends_with_result(input: str | list[TResponseInputItem]) -> bool:
    return not isinstance(input, str) and input[-1].get("type") == "function_call_output"


def response(item: ResponseFunctionToolCall | ResponseOutputMessage) -> ModelResponse:
    return ModelResponse(output=[item], usage=Usage(requests=1, input_tokens=1, output_tokens=1), response_id=None)


def call(name: str) -> ResponseFunctionToolCall:
    arguments = json.dumps({"input": INNER_QUESTION})
    return ResponseFunctionToolCall(type="function_call", name=name, call_id="call", arguments=arguments)


def message(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="message", type="message", role="assistant", status="completed", content=[content])


class AgentsPeer:
    """The session is that of the first agent. The second, as a tool by default, has none."""

    def __init__(self, folder: pathlib.Path, stored: bool) -> None:
        self.database = folder / "agents.db" if stored else None
        self.sessions: list[SQLiteSession | None] = []
        self.asked: list[int] = []

    async def open(self, callers: int) -> None:
        set_tracing_disabled(True)  # it would be sent to OpenAI
        model = InstantModel()
        second = Agent(name="second", instructions="Answer briefly.", model=model)
        ask_second = second.as_tool("ask_second", "Ask the second agent, and get its answer.")
        self.first = Agent(name="first", instructions="Answer briefly.", model=model, tools=[ask_second])
        self.sessions = [None] * callers
        self.asked = [0] * callers

    async def ask(self, caller: int) -> str:
        if self.database and self.asked[caller] % ASKS_IN_A_CONVERSATION == 0:
            self.begin(caller)
        self.asked[caller] += 1
        result = await Runner.run(self.first, QUESTION, session=self.sessions[caller])
        return str(result.final_output)

    def begin(self, caller: int) -> None:
        assert self.database is not None
        before = self.sessions[caller]
        self.sessions[caller] = SQLiteSession(f"{caller}-{self.asked[caller]}", self.database)
        if before:
            before.close()

    async def durable(self) -> str:
        if not self.database:
            return "nothing"
        session = SQLiteSession("settings", self.database)
        with session._locked_connection() as connection:
            journal, synchronous = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
        session.close()
        return f"the conversation of the first agent; journal_mode={journal}, synchronous={synchronous}"

    async def close(self) -> None:
        for session in self.sessions:
            if session:
                session.close()
