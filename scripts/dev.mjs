/**
 * For working on the dashboard: runs the server from source, behind a proxy that reloads the page
 * after each build. A change to the dashboard, the widget or the client triggers a build; a change
 * to the server restarts it. `npm run dev -- 5000` uses port 5000 instead of 4480.
 */
import { spawn } from 'node:child_process';
import { statSync, watch } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { BROWSER_SOURCES, buildDraft } from './build-browser.mjs';

const DEFAULT_PORT = 4480;
const SETTLE_MS = 100;
const HOST = '127.0.0.1';
const SCRIPT = "new EventSource('/dev-events').onmessage = () => location.reload();";

const root = join(import.meta.dirname, '..');
const port = Number(process.argv[2] ?? DEFAULT_PORT);
const serverPort = Number(process.env.KEYRAIL_PORT ?? process.env.PORT ?? 4400);
const url = `http://${HOST}:${port}`;
/** The open pages, each with a pending response. */
const pages = new Set();

let lastBuild = build();
let timer;
for (const path of BROWSER_SOURCES) {
  const recursive = statSync(join(root, path)).isDirectory();
  watch(join(root, path), { recursive }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      lastBuild = lastBuild.then(build);
    }, SETTLE_MS);
  });
}
await lastBuild;

const flags = ['--watch', '--watch-preserve-output', '--conditions=keyrail-source'];
const server = spawn(process.execPath, [...flags, 'packages/server/src/main.ts', 'start'], {
  cwd: root,
  stdio: 'inherit',
  env: { KEYRAIL_PUBLIC_URL: url, ...process.env },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => process.exit(code ?? 1));
createServer(answer).listen(port, HOST, () => console.error(`dashboard with reload: ${url}`));

async function build() {
  const began = performance.now();
  try {
    await buildDraft(root);
    console.error(`dashboard built in ${Math.round(performance.now() - began)} ms`);
    for (const page of pages) page.write('data: built\n\n');
  } catch ({ message }) {
    console.error(message);
  }
}

function answer(incoming, outgoing) {
  if (incoming.url === '/dev-reload.js') {
    outgoing.setHeader('content-type', 'text/javascript').end(SCRIPT);
  } else if (incoming.url === '/dev-events') {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    pages.add(outgoing);
    outgoing.on('close', () => pages.delete(outgoing));
  } else passOn(incoming, outgoing);
}

function passOn(incoming, outgoing) {
  const { method, url: path } = incoming;
  const headers = { ...incoming.headers, 'accept-encoding': 'identity' };
  const passed = request({ host: HOST, port: serverPort, method, path, headers }, (response) => {
    const isPage = /^text\/html/.test(response.headers['content-type'] ?? '');
    if (isPage) delete response.headers['content-length'];
    outgoing.writeHead(response.statusCode, response.headers);
    response.pipe(outgoing, { end: !isPage });
    // If a script comes after the end of the page, browsers move it into the body.
    if (isPage) response.on('end', () => outgoing.end('<script src="/dev-reload.js"></script>'));
  });
  passed.on('error', () => {
    if (outgoing.headersSent) return outgoing.destroy();
    outgoing.writeHead(502).end('The server is starting. Reload this page in a moment.');
  });
  outgoing.on('close', () => passed.destroy());
  incoming.pipe(passed);
}
