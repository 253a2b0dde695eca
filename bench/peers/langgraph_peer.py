"""LangGraph: two graphs of a model and its tools. The tool of the first invokes the second."""

import pathlib
from collections.abc import Sequence
from typing import Any

import aiosqlite
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from scene import ANSWER, ASKS_IN_A_CONVERSATION, INNER_QUESTION, QUESTION


class InstantModel(BaseChatModel):
    """A model that takes no time. It calls its tool, if it has one, and then says ok."""

    tool_name: str | None = None

    @property
    def _llm_type(self) -> str:
        return "instant"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.reply(messages[-1]))])

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return self._generate(messages)  # the inherited one would use a thread

    def reply(self, last: BaseMessage) -> AIMessage:
        if self.tool_name is None or isinstance(last, ToolMessage):
            return AIMessage(ANSWER)
        return AIMessage("", tool_calls=[ToolCall(name=self.tool_name, args={"question": INNER_QUESTION}, id="call")])


def graph(model: BaseChatModel, tools: Sequence[BaseTool], saver: AsyncSqliteSaver | None) -> CompiledStateGraph:
    async def ask_model(state: MessagesState) -> dict[str, list[BaseMessage]]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    g = StateGraph(MessagesState)
    g.add_node("model", ask_model)
    g.add_node("tools", ToolNode(tools))
    g.add_edge(START, "model")
    g.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    g.add_edge("tools", "model")
    return g.compile(checkpointer=saver)


class LangGraphPeer:
    """The second graph uses the saver of the first one, as graphs within graphs do."""

    def __init__(self, folder: pathlib.Path, stored: bool) -> None:
        self.database = folder / "langgraph.db" if stored else None
        self.saver: AsyncSqliteSaver | None = None
        self.asked: list[int] = []

    async def open(self, callers: int) -> None:
        if self.database:
            self.saver = AsyncSqliteSaver(await aiosqlite.connect(self.database))
            await self.saver.setup()
        second = graph(InstantModel(), [], None)

        @tool
        async def ask_second(question: str) -> str:
            """Ask the second agent, and get its answer."""
            state = await second.ainvoke({"messages": [HumanMessage(question)]})
            return state["messages"][-1].text

        self.first = graph(InstantModel(tool_name=ask_second.name), [ask_second], self.saver)
        self.asked = [0] * callers

    async def ask(self, caller: int) -> str:
        thread = f"{caller}-{self.asked[caller] // ASKS_IN_A_CONVERSATION}"
        self.asked[caller] += 1
        state = await self.first.ainvoke({"messages": [HumanMessage(QUESTION)]}, {"configurable": {"thread_id": thread}})
        return state["messages"][-1].text

    async def durable(self) -> str:
        if self.saver is None:
            return "nothing"
        journal, synchronous = [await self.pragma(name) for name in ("journal_mode", "synchronous")]
        return f"state of the graphs after each step; journal_mode={journal}, synchronous={synchronous}, durability=async"

    async def pragma(self, name: str) -> object:
        assert self.saver is not None
        async with self.saver.conn.execute(f"PRAGMA {name}") as rows:
            return (await rows.fetchone() or [None])[0]

    async def close(self) -> None:
        if self.saver:
            await self.saver.conn.close()
