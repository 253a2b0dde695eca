"""An agent whose work is a LangGraph graph: a model that may ask the other agents of the
team. It joins over HTTP."""

import logging
import os
import pathlib
import signal
import sys

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

# parley.py is one file: copy it beside your program instead of this line.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python"))

import parley

MODEL = os.environ.get("MODEL", "gpt-5-mini")  # OPENAI_API_KEY and OPENAI_BASE_URL say where


def graph_for(work):
    """The graph of one task. Its tool asks in the name of that task."""

    @tool
    def ask_agent(agent: str, question: str) -> str:
        """Ask another agent of the team, by name, and get its answer."""
        try:
            return work.ask(agent, question)
        except parley.Error as err:
            return f"Error: {err}"

    model = ChatOpenAI(model=MODEL).bind_tools([ask_agent])
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([ask_agent]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "model")
    return graph.compile()


def handle(work):
    work.progress("Thinking.")
    state = graph_for(work).invoke({"messages": [("user", work.text)]})
    return state["messages"][-1].text


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stop in order, as with Ctrl-C
    try:
        parley.Client.from_env().serve(handle)
    except parley.Error as err:
        sys.exit(str(err))
