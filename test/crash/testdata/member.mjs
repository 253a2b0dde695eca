// A member of the team with the official TypeScript SDK. It does what the worker of
// membermcp_test.go does: one that remembers gives cursors back, delegates, and takes the
// results as messages; one that forgets does one thing at a time, and asks.
import fs from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { PARLEY_URL, PARLEY_TOKEN, MEMBER_FILE, PARLEY_CRASH_MEMBER } = process.env;
const remembers = PARLEY_CRASH_MEMBER === 'remembers';
const notes = [];
let client, broken;

function readNotes() {
	notes.length = 0;
	if (!fs.existsSync(MEMBER_FILE)) return;
	for (const line of fs.readFileSync(MEMBER_FILE, 'utf8').split('\n')) {
		try {
			notes.push(JSON.parse(line));
		} catch {
			// the last line may be cut
		}
	}
}

// write is done before what it says.
function write(note) {
	notes.push(note);
	fs.appendFileSync(MEMBER_FILE, JSON.stringify(note) + '\n');
}

// connect makes a session. The SDK does not end a call whose stream broke before its
// answer came, so the first error of the transport ends it.
async function connect() {
	client = new Client({ name: 'member', version: '1' });
	const transport = new StreamableHTTPClientTransport(new URL(PARLEY_URL + '/mcp'), {
		requestInit: { headers: { Authorization: 'Bearer ' + PARLEY_TOKEN } },
		reconnectionOptions: { initialReconnectionDelay: 50, maxReconnectionDelay: 200, reconnectionDelayGrowFactor: 1.5, maxRetries: 2 },
	});
	broken = new Promise((_, reject) => {
		client.onerror = error => {
			if (/disconnected|Maximum reconnection/.test(error.message)) reject(error);
		};
	});
	broken.catch(() => {});
	await client.connect(transport);
}

async function call(name, key, args) {
	const result = await Promise.race([client.callTool({ name, arguments: args, _meta: { 'parley/key': key } }, undefined, { timeout: 20000 }), broken]);
	if (result.isError) throw new Error(name + ': ' + JSON.stringify(result.content));
	return result.structuredContent;
}

const has = (what, task) => notes.some(n => n.what === what && n.task === task);
const numberOf = text => /#[a-z0-9-]+/.exec(text)[0];

async function end(task, result) {
	await call('task_complete', task + ' end', { task_id: task, result });
	write({ what: 'done', task });
}

// doNow does all that an item asks for.
async function doNow(item) {
	if (!item.task) return call('ack', '', { messages: [item.message] });
	write({ what: 'work', task: item.task, again: item.again });
	const n = numberOf(item.text);
	const answer = await call('contact_agent', item.task + ' Ned', { action: 'ask', agentId: 'Ned', message: 'part ' + n, task_id: item.task });
	await end(item.task, 'checked ' + n + ': ' + answer.text.replace('Response from Ned: ', ''));
}

// delegated delegates once and returns the subtask.
async function delegated(task, to, message) {
	const before = notes.find(n => n.what === 'sub' && n.task === task && n.text === to);
	if (before) return before.sub;
	const made = await call('contact_agent', task + ' ' + to, { action: 'delegate', agentId: to, message, task_id: task });
	const sub = /task-[0-9]+/.exec(made.text)[0];
	write({ what: 'sub', task, sub, text: to });
	return sub;
}

function resultOf(sub) {
	const found = notes.find(n => n.kind === 'delegation_result' && n.text.split('\n')[0].endsWith('| ' + sub + ']'));
	return found && found.text.slice(found.text.indexOf('\n') + 1);
}

// goOn does what is to be done by what is on file.
async function goOn() {
	for (const item of notes.filter(n => n.what === 'item' && n.task)) {
		if (has('done', item.task)) continue;
		if (!has('work', item.task)) write({ what: 'work', task: item.task, again: item.again });
		const n = numberOf(item.text);
		const cal = resultOf(await delegated(item.task, 'Cal', 'part ' + n));
		const max = resultOf(await delegated(item.task, 'Max', 'check ' + n));
		if (cal && max) await end(item.task, 'gathered ' + n + ': ' + cal + ', ' + max);
	}
}

async function work() {
	readNotes();
	await connect();
	for (let cursor; ; ) {
		if (remembers) await goOn();
		write({ what: 'wait' });
		const batch = await call('wait_for_messages', '', { wait_seconds: 1, ...(remembers ? {} : { limit: 1 }), ...(cursor ? { cursor } : {}) });
		for (const item of batch.items) {
			const { message, kind, task, again, text } = item;
			write({ what: 'item', message, kind, task, again, text });
			if (!remembers) await doNow(item);
		}
		if (remembers) cursor = batch.cursor; // they are on file
	}
}

for (;;) {
	try {
		await work();
	} catch (error) {
		console.error(new Date().toISOString(), error.message ?? error);
		await client.close().catch(() => {});
		await new Promise(resolve => setTimeout(resolve, 50));
	}
}
