// SPDX-License-Identifier: Apache-2.0
// Secrets: agents say their names, pages of their own domains get them, and nobody is told.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, run, until } from '../support/daemon.mjs';

const VALUE = 'pa$$ "wörd"/1+1';
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const FIELDS = `<style>input{caret-color:transparent}</style><input id=user aria-label=User><input id=plain aria-label=Plain>
  <input id=word aria-label=Word type=password><div id=rich aria-label=Rich role=textbox contenteditable></div>
  <input id=long aria-label=Long minlength=40>`;

/** A site that is there as any name below localhost; `pages` are functions of the port. */
async function setup(t, pages = {}) {
  const server = http.createServer((req, res) => {
    const page = pages[req.url] ?? (() => FIELDS);
    res.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>T</title><body>${page(server.address().port)}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); server.closeAllConnections(); });
  const daemon = await Daemon.start(t, { args: ['--log-level', 'debug'] });
  const set = async (name, value, more = {}) => {
    const body = JSON.stringify({ value, domains: ['bank.localhost'], ...more });
    const answer = await daemon.request(`/api/secrets/${name}`, { method: 'PUT', auth: true, headers: { 'content-type': 'application/json' }, body });
    assert.equal(answer.status, 200, answer.text);
  };
  await set('login', VALUE);
  const agent = await Agent.connect(t, daemon, kinds[0], { groups: 'all' });
  const show = (host, path = '/') => agent.call('browser_navigate', { url: `http://${host}.localhost:${server.address().port}${path}` });
  const evaluate = async (script) => JSON.parse((await agent.raw('browser_evaluate', { script })).content[0].text);
  return { daemon, agent, show, set, evaluate };
}

test('NET-6: a secret is typed by its name, whole or as a part, in every kind of field', async (t) => {
  const { agent, show, evaluate } = await setup(t);
  await show('www.bank');
  assert.match(await agent.call('browser_fill', { target: '#plain', value: '{{secret:login}}' }), /^Filled textbox "Plain"\./);
  await agent.call('browser_fill', { target: '#word', value: 'x{{secret:login}}y', delay_ms: 5 });
  await agent.call('browser_fill_form', { fields: [
    { target: '#user', value: 'bob' }, { target: '#rich', value: '{{secret:login}}' }, { target: '#long', value: '{{secret:login}}' }] });
  const lengths = await evaluate('[plain.value, word.value, rich.innerText, long.value].map((text) => [text.length, text.codePointAt(6)])');
  assert.deepEqual(lengths, [VALUE, `x${VALUE}y`, VALUE, VALUE].map((text) => [text.length, text.codePointAt(6)]));
  assert.equal(await evaluate('user.value'), 'bob');
});

test('each use of a secret is on record, without its value', async (t) => {
  const { daemon, agent, show } = await setup(t);
  await show('evil');
  await agent.failure('browser_fill', { target: '#plain', value: '{{secret:login}}' });
  await show('www.bank');
  await agent.call('browser_fill', { target: '#plain', value: '{{secret:login}}' });
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const { stdout } = await run(['audit', 'export', '--json', '--state-dir', daemon.stateDir]);
  const entries = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const [used, ...more] = entries.filter((entry) => entry.type === 'secret_used');
  const filled = entries.find((entry) => entry.tool === 'browser_fill' && entry.outcome === 'ok');
  assert.deepEqual([used.session, used.agent, used.details], [filled.session, filled.agent, { secret: 'login', site: new URL(filled.details.url).origin }]);
  assert.deepEqual(more, []);
  assert.ok(!stdout.includes(VALUE) && !stdout.includes(JSON.stringify(VALUE).slice(1, -1)));
});

test('NET-6: neither another site, nor a look-alike, nor a frame of another site gets a secret', async (t) => {
  const { agent, show, evaluate } = await setup(t, {
    '/framed-bank': (port) => `<iframe src="http://www.bank.localhost:${port}/"></iframe>`,
    '/framed-evil': (port) => `<iframe src="http://evil.localhost:${port}/"></iframe>`,
    '/sandboxed': () => `<iframe sandbox="allow-scripts" srcdoc='<input aria-label=Inner>'></iframe>`,
  });
  const refused = async (target, seen) => {
    const words = await agent.failure('browser_fill', { target, value: '{{secret:login}}' });
    assert.match(words, seen);
    assert.match(words, /Use the secret only on the sites that it was stored for/);
  };
  for (const host of ['evil', 'notbank', 'bank.evil']) {
    await show(host);
    await refused('#plain', new RegExp(`the secret login is not for this field: .*http://${host}\\.localhost`));
  }
  await show('evil', '/framed-bank');
  const inner = /textbox "Plain".*\[ref=(\w+)\]/.exec(await agent.call('browser_snapshot'))[1];
  await refused(inner, /a document around the field is "http:\/\/evil\.localhost/);
  await show('www.bank', '/framed-evil');
  await refused(/textbox "Plain".*\[ref=(\w+)\]/.exec(await agent.call('browser_snapshot'))[1], /the field's document is "http:\/\/evil\.localhost/);
  await show('www.bank', '/sandboxed');
  await refused(/textbox "Inner".*\[ref=(\w+)\]/.exec(await agent.call('browser_snapshot'))[1], /without an origin/);
  assert.equal(await evaluate('document.title'), 'T');
});

test('NET-6: a page that goes elsewhere while the secret comes does not take it along', async (t) => {
  const { agent, show, evaluate } = await setup(t, {
    // The field appears, and with its focus the page is left for a site that has the same field.
    '/leaves': (port) => `<input id=plain aria-label=Plain onfocus="location = 'http://evil.localhost:${port}/late'">`,
    '/late': () => FIELDS,
    '/waits': (port) => `<script>setTimeout(() => { location = 'http://evil.localhost:${port}/late' }, 300)</script>`,
  });
  for (const path of ['/leaves', '/waits']) {
    await show('www.bank', path);
    await agent.raw('browser_fill', { target: '#plain', value: '{{secret:login}}', timeout_ms: 5000 });
    await until(async () => /Content of http:..evil/.test(await agent.call('browser_snapshot')), 10_000, 'the page is left');
    assert.equal(await evaluate('plain.value'), '', path);
  }
});

test('an unknown name is refused, and a key press types no secret', async (t) => {
  const { agent, show, set } = await setup(t);
  await set('otp', SEED, { totp: true });
  await show('www.bank');
  const words = await agent.failure('browser_fill', { target: '#plain', value: '{{secret:other}}' });
  assert.match(words, /there is no secret "other"/);
  assert.doesNotMatch(words, /login/);
  assert.match(await agent.failure('browser_fill', { target: '#plain', value: '{{secret:otp}}' }), /is used as \{\{totp:otp\}\}/);
  assert.match(await agent.failure('browser_fill', { target: '#plain', value: '{{secret:login' }), /the name of a secret/);
  assert.match(await agent.failure('browser_press_key', { target: '#plain', text: '{{secret:login}}' }), /fill the field instead/);
});

test('a one-time code is made when it is typed, and is masked', async (t) => {
  const { agent, show, set, evaluate } = await setup(t);
  await set('otp', `otpauth://totp/Bank:bob?secret=${SEED}&digits=8`, { totp: true });
  await show('www.bank');
  await agent.call('browser_fill', { target: '#plain', value: '{{totp:otp}}' });
  assert.equal(await evaluate('/^\\d{8}$/.test(plain.value)'), true);
  assert.equal(await evaluate('plain.value'), '{{totp:otp}}');
});

test('NET-6: what was typed is masked wherever the session would tell it', async (t) => {
  const { daemon, agent, show } = await setup(t);
  await show('www.bank');
  await agent.call('browser_fill', { target: '#plain', value: '{{secret:login}}' });
  const scripts = [
    'plain.value', '({ [plain.value]: [plain.value] })', 'btoa(unescape(encodeURIComponent(plain.value)))',
    'btoa(unescape(encodeURIComponent("user:" + plain.value)))', 'encodeURIComponent(plain.value)', 'new URLSearchParams({ a: plain.value }).toString()',
    'JSON.stringify({ a: plain.value })', 'plain.setAttribute("value", plain.value), plain.outerHTML',
  ];
  const replies = [];
  for (const script of scripts) replies.push(await agent.call('browser_evaluate', { script }));
  for (const reply of replies) assert.match(reply, /\{\{secret:login\}\}/);
  await agent.call('browser_evaluate', { script: `document.title = plain.value; console.log('said ' + plain.value); localStorage.key1 = plain.value;
    document.cookie = 'c=' + encodeURIComponent(plain.value); history.pushState(0, '', '/' + encodeURIComponent(plain.value));
    document.body.append(plain.value); fetch('/q?' + encodeURIComponent(plain.value)).then(() => 0)` });
  replies.push(await agent.call('browser_snapshot'), await agent.call('browser_extract', {}), await agent.call('browser_extract', { format: 'html' }).catch(() => ''),
    await agent.call('browser_console'), await agent.call('browser_network'), await agent.call('browser_storage'),
    await agent.call('browser_cookies'), await agent.call('browser_tabs', { action: 'list' }), await agent.call('list_sessions'),
    await agent.call('browser_elements'), await agent.failure('browser_click', { target: 'text=nothing', timeout_ms: 100 }));
  replies.push((await daemon.request('/api/sessions', { auth: true })).text, (await daemon.request('/metrics', { auth: true })).text, daemon.log.text);
  const spellings = [VALUE, encodeURIComponent(VALUE), JSON.stringify(VALUE).slice(1, -1), Buffer.from(VALUE).toString('base64').slice(0, 16)];
  for (const spelling of spellings) {
    for (const [at, reply] of replies.entries()) assert.ok(!reply.includes(spelling), `${spelling} in reply ${at}: ${reply}`);
  }
});

test('NET-6: pictures and documents show dots in a field that got a secret, and the page looks as before afterwards', async (t) => {
  const { agent, show, set, evaluate } = await setup(t);
  await set('one', 'iiiiiiiiiiii');
  await set('two', 'WWWWWWWWWWWW');
  const picture = async (value, tool) => {
    await show('www.bank');
    await agent.call('browser_fill', { target: '#plain', value });
    if (tool === 'browser_screenshot') {
      const { content } = await agent.raw(tool, { format: 'png' });
      return content.find((item) => item.type === 'image').data;
    }
    const path = /\/\S+\.pdf/.exec(await agent.call(tool))[0];
    return (await readFile(path, 'latin1')).replace(/\/(Creation|Mod)Date \(.*?\)|\/ID ?\[.*?\]/gs, '');
  };
  for (const tool of ['browser_screenshot', 'browser_pdf']) {
    assert.notEqual(await picture('iiiiiiiiiiii', tool), await picture('WWWWWWWWWWWW', tool), `${tool} can tell them apart`);
    assert.equal(await picture('{{secret:one}}', tool), await picture('{{secret:two}}', tool), `${tool} cannot tell them apart`);
    assert.deepEqual(await evaluate('[getComputedStyle(plain).webkitTextSecurity, plain.getAttribute("style")]'), ['none', null]);
  }
});

test('NET-6: the next daemon still masks what a session has typed', async (t) => {
  const { daemon, agent, show, evaluate } = await setup(t);
  await show('www.bank');
  await agent.call('start_session', { sessionId: 'kept', url: await evaluate('location.href') });
  await agent.call('browser_fill', { sessionId: 'kept', target: '#plain', value: '{{secret:login}}' });
  await agent.call('browser_evaluate', { sessionId: 'kept', script: 'localStorage.word = plain.value; 0' });
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const next = await Daemon.start(t, { dir: daemon.dir });
  const later = await Agent.connect(t, next, kinds[0], { groups: 'all' });
  const told = await later.call('browser_evaluate', { sessionId: 'kept', script: '[localStorage.word, localStorage.word.length]' });
  assert.match(told, new RegExp(`"\\{\\{secret:login\\}\\}", ?${VALUE.length}`));
});
