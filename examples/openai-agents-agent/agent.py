"""An agent made with the OpenAI Agents SDK. It gets the team's tools over MCP; its tasks
are fetched and ended by parley.py, so that none is lost if this program is killed."""

import asyncio
import logging
import os
import pathlib
import signal
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp, create_static_tool_filter
from openai import AsyncOpenAI

# parley.py is one file: copy it beside your program instead of this line.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python"))

import parley

MODEL = os.environ.get("MODEL", "gpt-5-mini")  # OPENAI_API_KEY and OPENAI_BASE_URL say where
# The loop fetches and ends tasks, so the model needs only the tools to talk to others.
TOOLS = ["contact_agent", "list_agents", "read_agent_docs"]


async def think(work):
    hub = work.client
    team = MCPServerStreamableHttp(
        params={"url": hub.url + "/mcp", "headers": {"Authorization": "Bearer " + hub.token}},
        tool_filter=create_static_tool_filter(allowed_tool_names=TOOLS),
        client_session_timeout_seconds=180,  # an ask may take two minutes
    )
    async with team:
        agent = Agent(
            name="Analyst",
            instructions="Answer the request. Ask the other agents of the team what you do not know.",
            model=OpenAIChatCompletionsModel(MODEL, AsyncOpenAI()),
            mcp_servers=[team],
        )
        return (await Runner.run(agent, work.text)).final_output


def handle(work):
    work.progress("Thinking.")
    return asyncio.run(think(work))


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    set_tracing_disabled(True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stop in order, as with Ctrl-C
    try:
        # One task at a time: what the model asks over MCP belongs to the task that is held.
        parley.Client.from_env().serve(handle, at_once=1)
    except parley.Error as err:
        sys.exit(str(err))
