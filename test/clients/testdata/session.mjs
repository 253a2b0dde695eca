// A member with the official TypeScript SDK, which goes on after the hub was killed: one
// client, one connection, no error of either.
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { PARLEY_CLIENTS, PARLEY_URL, PARLEY_TOKEN, KIND } = process.env;
const from = createRequire(PARLEY_CLIENTS + '/package.json');
const load = name => import(pathToFileURL(from.resolve(name)));

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const tell = what => fs.writeSync(1, JSON.stringify(what) + '\n');

let Client, StreamableHTTPClientTransport;
const about = [{ name: 'member', version: '1' }];
if (KIND === 'v1') {
	({ Client } = await load('@modelcontextprotocol/sdk/client/index.js'));
	({ StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js'));
} else {
	({ Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client'));
	about.push({ versionNegotiation: { mode: KIND === 'v2' ? 'legacy' : { pin: KIND } } });
}

const client = new Client(...about);
client.onclose = () => tell({ closed: true });
const transport = new StreamableHTTPClientTransport(new URL(PARLEY_URL), { requestInit: { headers: { Authorization: 'Bearer ' + PARLEY_TOKEN } } });
await client.connect(transport);

const look = async () => {
	const { structuredContent: got } = await client.callTool({ name: 'wait_for_messages', arguments: { wait_seconds: 5 } });
	tell({ session: transport.sessionId ?? '', items: got.items });
	return got.items[0].task;
};
await look();
await lines.next(); // the hub was killed, and another one is there
const task = await look();
await client.callTool({ name: 'task_complete', arguments: { task_id: task, result: 'Twelve.' } });
process.exit(0);
