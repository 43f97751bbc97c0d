// SPDX-License-Identifier: Apache-2.0
// Files go into pages and come out of them only by the session's own directory, whatever a site, an agent or a link in that directory says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, until } from '../support/daemon.mjs';

/** A site whose /N is a download with the name number N, as its header says it; any other address is a page with a file input. */
async function setup(t, names = [], options = {}) {
  const server = http.createServer((req, res) => {
    const name = names[Number(req.url.slice(1))];
    if (name === undefined || req.url === '/') return res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>F</title><input type=file id=file multiple>');
    res.socket.end(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 5\r\nConnection: close\r\nContent-Disposition: attachment; ${name}\r\n\r\n12345`, 'latin1'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const daemon = await Daemon.start(t, options);
  const agent = await Agent.connect(t, daemon, kinds[0], { groups: 'all' });
  const url = `http://127.0.0.1:${server.address().port}`;
  await agent.call('start_session', { sessionId: 'files', url });
  await agent.call('browser_upload', { sessionId: 'files', target: '#file', content: [{ name: 'own.txt', text: 'own' }] });
  const directory = /^Downloads in (\S+)|in (\/\S+)/m.exec(await agent.call('browser_downloads', { sessionId: 'files' })).slice(1).find(Boolean);
  return { daemon, agent, url, directory };
}

const everything = async (dir) => (await readdir(dir, { recursive: true })).sort();

test('FILE-1: a download with a hostile name stays in the session\'s directory under a plain one', async (t) => {
  const q = (name) => `filename="${name}"`;
  const names = [undefined, q('../../up'), q('/tmp/tabard-absolute'), q('..\\..\\back.txt'), `filename*=UTF-8''nul%00byte`, `filename*=UTF-8''line%0Abreak.txt`,
    q('x'.repeat(5000)), q('-rf'), `filename*=UTF-8''%E2%80%AEtxt.exe`, q('.'), q('..'), q('.bashrc'), q('a/../../b'), `filename*=UTF-8''..%2F..%2Fenc`, q('con')];
  const { daemon, agent, url, directory } = await setup(t, names);
  const outside = (all) => all.filter((name) => !path.join(daemon.dir, name).startsWith(directory) && !/profile|browser|chrom|tabard\.db|intake/i.test(name));
  const before = outside(await everything(daemon.dir));
  for (let i = 1; i < names.length; i += 1) await agent.raw('browser_navigate', { sessionId: 'files', url: `${url}/${i}` });
  const listed = await agent.call('browser_downloads', { sessionId: 'files', wait: true });
  assert.equal(listed.match(/done, 5 of 5/g)?.length, names.length - 1, listed);
  const files = (await readdir(directory, { withFileTypes: true })).filter(({ name }) => name !== '.downloads'); // our own list of them
  assert.equal(files.length, names.length); // and own.txt
  for (const entry of files) {
    assert.ok(entry.isFile(), `${entry.name} is a plain file`);
    assert.match(entry.name, /^[^.\-/\\][^/\\\p{Cc}\p{Bidi_Control}]*$/u);
    assert.ok(Buffer.byteLength(entry.name) <= 200);
  }
  assert.doesNotMatch(listed, /[\u202e\u0000]|\.\.\//);
  assert.deepEqual(outside(await everything(daemon.dir)), before);
  await assert.rejects(stat('/tmp/tabard-absolute'));
});

test('FILE-2: no argument says where a picture or a document goes', async (t) => {
  const { agent, directory } = await setup(t);
  for (const tool of ['browser_screenshot', 'browser_pdf']) {
    for (const argument of ['path', 'filename', 'file', 'output', 'directory']) {
      const result = await agent.raw(tool, { sessionId: 'files', [argument]: '../../../../tmp/tabard-out' });
      const text = result.content.map((item) => item.text ?? '').join('\n');
      assert.ok(result.isError || !/tabard-out/.test(text), `${tool} ${argument}: ${text}`);
    }
  }
  const said = await agent.call('browser_pdf', { sessionId: 'files' });
  assert.equal(path.dirname(/\/\S+\.pdf/.exec(said)[0]), directory);
  await assert.rejects(stat('/tmp/tabard-out'));
});

test('FILE-3: only plain files of this session are uploaded', async (t) => {
  const { daemon, agent, url, directory } = await setup(t);
  await agent.call('start_session', { sessionId: 'other', url });
  await agent.call('browser_upload', { sessionId: 'other', target: '#file', content: [{ name: 'foreign.txt', text: 'foreign' }] });
  const foreign = /\/\S+/.exec(await agent.call('browser_downloads', { sessionId: 'other' }))[0];
  await symlink('/etc/passwd', path.join(directory, 'link'));
  await symlink('/', path.join(directory, 'root'));
  execFileSync('mkfifo', [path.join(directory, 'fifo')]);
  const paths = ['/etc/shadow', '/etc/passwd', '/proc/self/environ', '/proc/self/mem', path.join(daemon.stateDir, 'tabard.db'), path.join(daemon.stateDir, 'admin.token'),
    path.join(daemon.stateDir, 'secret'), `${foreign}/foreign.txt`, '/dev/zero', '/dev/stdin', path.join(directory, 'link'), 'link', 'root/etc/passwd', 'fifo', path.join(directory, 'fifo'),
    `${directory}/../${path.basename(foreign)}/foreign.txt`, '../own.txt', '.', '..', '', directory, 'file:///etc/passwd', 'own.txt/', '.downloads', 'own.txt\u0000'];
  for (const one of paths) {
    const result = await agent.raw('browser_upload', { sessionId: 'files', target: '#file', paths: [one] }).catch((err) => ({ isError: true, refused: err }));
    assert.ok(result.isError, `${JSON.stringify(one)} was uploaded: ${JSON.stringify(result.content)}`);
  }
  await agent.call('browser_upload', { sessionId: 'files', target: '#file', paths: ['own.txt'] });
  const has = await agent.raw('browser_evaluate', { sessionId: 'files', script: 'Promise.all([...file.files].map((one) => one.text()))' });
  assert.deepEqual(JSON.parse(has.content[0].text), ['own']);
});

test('FILE-3: a file that the agent brings has a plain name and replaces no link', async (t) => {
  const { agent, directory } = await setup(t);
  const victim = path.join(path.dirname(directory), 'victim');
  await writeFile(victim, 'before');
  await symlink(victim, path.join(directory, 'innocent.txt'));
  for (const name of ['innocent.txt', '../victim', '/etc/tabard-x', 'a/b', '..']) {
    await agent.raw('browser_upload', { sessionId: 'files', target: '#file', content: [{ name, text: 'after' }] });
  }
  assert.equal(await readFile(victim, 'utf8'), 'before');
  await assert.rejects(stat('/etc/tabard-x'));
  for (const entry of await readdir(directory)) assert.doesNotMatch(entry, /^\.\.?$|\//);
});

test('FILE-4: nothing that is imported has a path in it, and ceilings hold for what pages send', async (t) => {
  const names = [undefined, 'filename=one.bin', 'filename=two.bin'];
  const { agent, url } = await setup(t, names, { config: 'browser:\n  download_max_bytes: 4\n' });
  for (const name of ['../../x', '/etc/x', 'a/b', '..', 'a\u0000b', 'x'.repeat(500)]) {
    assert.ok((await agent.raw('browser_state', { sessionId: 'files', action: 'load', name }).catch(() => ({ isError: true }))).isError, JSON.stringify(name));
    assert.ok((await agent.raw('start_session', { sessionId: 'new', state: name }).catch(() => ({ isError: true }))).isError, JSON.stringify(name));
  }
  await agent.raw('browser_navigate', { sessionId: 'files', url: `${url}/1` });
  await until(async () => /one\.bin.*(refused|cancel|larger|limit)/is.test(await agent.call('browser_downloads', { sessionId: 'files', wait: true })), 10_000, 'the download is ended');
  assert.match(await agent.failure('browser_upload', { sessionId: 'files', target: '#file', content: [{ name: 'a.txt', text: '12345' }] }), /larg|limit|more than/i);
});
