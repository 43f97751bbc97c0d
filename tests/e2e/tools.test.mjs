// SPDX-License-Identifier: Apache-2.0
// Every tool does in a real page what it says: the default set, then each group that is asked for.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { Site } from '../support/site.mjs';

async function setup(t, groups, config) {
  const daemon = await Daemon.start(t, { config });
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { groups });
  const called = new Set();
  const call = (name, args) => {
    called.add(name);
    return agent.call(name, args);
  };
  const value = async (script) => JSON.parse((await call('browser_evaluate', { sessionId: 's', script })).split('\n')[0]);
  await call('start_session', { sessionId: 's', url: site.url });
  return { daemon, site, agent, called, call, value };
}

test('the default set', async (t) => {
  const { site, agent, called, call, value } = await setup(t);
  await call('browser_navigate', { url: `${site.url}/form` });
  await call('browser_navigate', { to: 'back' });
  assert.match(await call('browser_navigate', { to: 'forward' }), /\/form/);
  const outline = await call('browser_snapshot', { interactive: true });
  await call('browser_click', { target: /button "Count" \[ref=(\w+)\]/.exec(outline)[1] });
  assert.match(await call('browser_snapshot', { find: 'Clicked' }), /button "Clicked 1"/);
  await call('browser_fill', { target: '#name', value: 'Ann' });
  await call('browser_fill_form', { fields: [{ target: '#notes', value: 'two words' }, { target: '#agree', value: 'true' }] });
  await call('browser_press_key', { target: '#name', text: ' Lee' });
  await call('browser_press_key', { key: 'Backspace' });
  await call('browser_select', { target: '#colour', values: ['Green'] });
  const fields = await value('["name", "notes", "colour", "agree"].map((id) => document.getElementById(id)).map((el) => [el.value, el.checked])');
  assert.deepEqual(fields.map(([text]) => text), ['Ann Le', 'two words', 'g', 'on']);
  assert.equal(fields[3][1], true);

  await call('browser_navigate', { url: `${site.url}/tall` });
  await call('browser_hover', { target: '#tip' });
  await call('browser_wait', { text: 'Over', timeout_ms: 5000 });
  await call('browser_scroll', { to: 'bottom' });
  assert.ok(await value('window.scrollY') > 4000);
  assert.match(await call('browser_extract', { format: 'markdown' }), /The end/);
  assert.match(await call('browser_screenshot', { full_page: true, format: 'png' }), /\d+x\d+/);

  assert.match(await call('browser_tabs', { action: 'new', url: `${site.url}/list` }), /1: .*List.*current/);
  await call('browser_tabs', { action: 'select', tab: 0 });
  assert.equal(await value('document.title'), 'Tall');
  assert.doesNotMatch(await call('browser_tabs', { action: 'close', tab: 1 }), /List/);

  await call('browser_navigate', { url: `${site.url}/alert` });
  await call('browser_click', { target: '#ask' });
  assert.match(await call('browser_dialog', { accept: false }), /Really/);
  assert.equal(await value('document.title'), 'false');
  const both = await call('execute_sequence', { actions: [
    { action: 'browser_navigate', url: `${site.url}/list` }, { action: 'browser_click', target: 'text=Item 3' }] });
  assert.match(both, /address changed from .*\/alert to .*\/item\/3/);

  await call('set_current_session', { sessionId: 's' });
  assert.match(await call('list_sessions'), /"currentSession":"s"/);
  await call('close_session');
  await call('close_all_sessions');
  const listed = (await agent.client.listTools()).tools.map((tool) => tool.name);
  assert.equal(listed.length, 21);
  assert.deepEqual([...called].sort(), listed.sort());
});

for (const kind of kinds) {
  test(`${kind.era}, ${kind.transport}: a sequence tells of its steps, and a step may have its own time`, async (t) => {
    const daemon = await Daemon.start(t);
    const site = await Site.start(t);
    const agent = await Agent.connect(t, daemon, kind);
    const told = [];
    // A client that reads the answer along with what was told before it, as on a busy machine, passes over that.
    for (let tries = 0; tries < 5 && told.length === 0; tries += 1) {
      await agent.raw('execute_sequence', { actions: [
        { action: 'browser_navigate', url: site.url }, { action: 'browser_snapshot' }] }, { onprogress: (note) => told.push(note) });
    }
    assert.deepEqual(told[0], { progress: 0, total: 2, message: 'step 1 of 2: browser_navigate' });
    const began = Date.now();
    const late = await agent.raw('execute_sequence', { actions: [{ action: 'browser_wait', target: '#nothing', timeout_ms: 400 }] });
    assert.match(late.content[0].text, /action 1 of 1/);
    assert.ok(Date.now() - began < 5000);
  });
}

test('the value of a script is a text of its own, beside what the script did to the page', async (t) => {
  const { site, agent, call } = await setup(t);
  await call('browser_navigate', { url: site.url });
  const { content } = await agent.raw('browser_evaluate', { script: "location.href = '/list'; return { a: [1, 2] }" });
  assert.deepEqual(JSON.parse(content[0].text), { a: [1, 2] });
  assert.match(content[1].text, /^Page is now .*\/list "List"\.$/);
});

test('group files: a file goes in and one comes out', async (t) => {
  const { site, agent, call, value } = await setup(t, 'files');
  await call('browser_navigate', { url: `${site.url}/desk` });
  await call('browser_upload', { target: '#file', content: [{ name: 'note.txt', text: 'from the agent' }] });
  await call('browser_wait', { target: '#file' });
  assert.equal(await value('document.getElementById("file").files[0].text()'), 'from the agent');
  assert.match(await agent.failure('browser_upload', { target: '#file', paths: ['/etc/passwd'] }), /directory/);
  assert.match(await agent.failure('browser_navigate', { url: `${site.url}/file` }), /is a download, not a page\nCall browser_downloads to see its progress/);
  const listed = await call('browser_downloads', { wait: true });
  const [, directory] = /^Downloads in (\S+)\n"report.bin" done, 12 of 12/.exec(listed) ?? assert.fail(listed);
  assert.equal(await readFile(`${directory}/report.bin`, 'utf8'), 'file content');
});

test('group files: a chooser that a script opens is answered, and files are dropped', async (t) => {
  const { site, agent, call, value } = await setup(t, 'files');
  await call('browser_navigate', { url: `${site.url}/desk` });
  const content = [{ name: 'a.txt', text: 'first' }, { name: 'b.txt', text: 'second' }];
  assert.match(await agent.failure('browser_upload', { content }), /no file chooser open/);
  assert.match(await call('browser_click', { target: 'text=Attach' }),
    /^Clicked button "Attach"\.\nA file chooser is open for one or more files of type "\.txt"; answer it with browser_upload without target\.$/m);
  assert.match(await call('browser_upload', { content }), /^Chose "a.txt", "b.txt" in the file chooser\./);
  assert.equal(await value('new Promise((r) => { const look = () => (document.title === "Desk" ? setTimeout(look, 5) : r(document.title)); look(); })'), 'second');
  assert.match(await call('browser_upload', { target: '#to', paths: ['a.txt'] }), /^Dropped "a.txt" on .*Title is now "Dropped"/);
  assert.match(await agent.failure('browser_upload', { target: '#from', paths: ['a.txt'] }), /does not accept files/);
});

test('a session that has slept still hands over its file choosers', async (t) => {
  const { daemon, site, call } = await setup(t, 'files', 'browser:\n  linger_ms: 0\nsessions:\n  named_idle_ms: 1000\n');
  const hibernated = await Reader.open(t, daemon, { query: '?type=session_hibernated' });
  await call('browser_navigate', { url: `${site.url}/desk` });
  await hibernated.until(1);
  assert.match(await call('browser_click', { target: 'text=Attach' }), /A file chooser is open/);
});

test('a download over a ceiling is ended, and one that is whole is told as an event', async (t) => {
  const { site, agent, call, daemon } = await setup(t, 'files', 'browser:\n  download_max_bytes: 12\n');
  const done = await Reader.open(t, daemon, { query: '?type=download_done' });
  await agent.failure('browser_navigate', { url: `${site.url}/file` });
  await done.until(1);
  assert.match(done.events[0], new RegExp(`"file":"report.bin","bytes":12,"url":"${site.url}/file"`));
  await agent.failure('browser_navigate', { url: `${site.url}/file?more` });
  assert.match(await call('browser_downloads', { wait: true }),
    /"report.bin" refused: larger than 12 bytes, the limit of browser.download_max_bytes/);
});

test('without the group files a download is refused, and that is told', async (t) => {
  const { site, agent } = await setup(t);
  assert.match(await agent.failure('browser_navigate', { url: `${site.url}/file` }), /refused: the session does not keep files\nAsk the user to turn on the tool group files;/);
});

test('group debug: console and requests with their bodies', async (t) => {
  const { site, call } = await setup(t, 'debug');
  assert.match(await call('browser_network'), /^Recording starts now; .*reload/);
  await call('browser_navigate', { url: `${site.url}/desk` });
  assert.match(await call('browser_console', { level: 'error' }), /error: "Out of paper"/);
  const id = /(\S+) GET 200 \S*\/desk|^(\S+).*\/desk/m.exec(await call('browser_network', { find: '/desk' }));
  assert.match(await call('browser_network', { id: id[1] ?? id[2] }), /Out of paper/);
});

test('group state: cookies, storage, and a login that another session takes over', async (t) => {
  const { site, call } = await setup(t, 'state');
  await call('browser_navigate', { url: `${site.url}/login` });
  await call('browser_fill', { target: '#user', value: 'alice' });
  await call('browser_click', { target: '#login' });
  await call('browser_storage', { action: 'set', key: 'theme', value: 'dark' });
  await call('browser_cookies', { action: 'set', name: 'lang', value: 'de' });
  assert.match(await call('browser_cookies'), /"name":"lang","value":"de"/);
  assert.match(await call('browser_state', { action: 'save', name: 'shop' }), /^Saved "shop": 2 cookies, storage of 1 origin\./);
  await call('start_session', { sessionId: 'other', url: `${site.url}/account` });
  assert.match(await call('browser_extract', { target: 'h1' }), /Please log in/);
  assert.match(await call('browser_state', { action: 'load', name: 'shop' }), /^Loaded "shop"/);
  await call('browser_navigate', { to: 'reload' });
  assert.match(await call('browser_extract', { target: 'h1' }), /Hello alice/);
  assert.match(await call('browser_storage'), /"theme":"dark"/);
});

test('group emulate: what the page sees is what was asked for, until it is reset', async (t) => {
  const { site, call, value } = await setup(t, 'emulate');
  const seen = () => value(`[innerWidth, matchMedia("(prefers-color-scheme: dark)").matches,
    Intl.DateTimeFormat().resolvedOptions().timeZone, new Intl.NumberFormat().resolvedOptions().locale]`);
  const before = await seen();
  await call('browser_emulate', { viewport: { width: 500, height: 400 }, color_scheme: 'dark', timezone: 'Asia/Tokyo', locale: 'de-DE' });
  assert.deepEqual(await seen(), [500, true, 'Asia/Tokyo', 'de-DE']);
  await call('browser_emulate', { offline: true });
  await assert.rejects(call('browser_navigate', { url: `${site.url}/list` }), /INTERNET_DISCONNECTED|offline|network/i);
  await call('browser_emulate', { reset: true });
  await call('browser_navigate', { url: `${site.url}/list` });
  assert.deepEqual(await seen(), before);
});

test('group pointer: drag, and the mouse by coordinates', async (t) => {
  const { site, call, value } = await setup(t, 'pointer');
  await call('browser_navigate', { url: `${site.url}/desk` });
  await call('browser_drag', { target: '#from', to: '#to' });
  assert.equal(await value('document.title'), 'Dropped');
  assert.match(await call('browser_mouse', { x: 600, y: 300 }), /^Mouse click at 600, 300/);
  assert.deepEqual(await value('window.at'), [600, 300]);
});

test('group pdf: the page as a file', async (t) => {
  const { call } = await setup(t, 'pdf');
  const [file] = /\/\S+\.pdf/.exec(await call('browser_pdf'));
  assert.equal((await readFile(file, 'latin1')).slice(0, 5), '%PDF-');
});
