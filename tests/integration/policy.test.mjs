// SPDX-License-Identifier: Apache-2.0
// Policies: where they come from, what they keep from whom, and what is told of it.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { Daemon, fixtures, run, until } from '../support/daemon.mjs';
import { postModern } from '../support/mcp.mjs';

const api = async (daemon, method, target, body) => {
  const reply = await daemon.request(target, {
    method, auth: true, body: body === undefined ? undefined : JSON.stringify(body),
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
  });
  return { ...reply, json: JSON.parse(reply.text) };
};

const call = async (daemon, name, args = {}) => {
  const reply = await postModern(daemon, 'tools/call', { name, arguments: args }, { headers: { 'x-conversation-id': 'c' } });
  const message = reply.json ?? reply.events.at(-1).message;
  return message.result ?? { isError: true, content: [{ text: message.error.message }], error: message.error };
};

const words = (result) => result.content.map((item) => item.text ?? '').join('\n');

const tools = async (daemon) => {
  const reply = await postModern(daemon, 'tools/list', {}, { headers: { 'x-conversation-id': 'c' } });
  return (reply.json ?? reply.events.at(-1).message).result.tools.map((tool) => tool.name);
};

test('NET-2 NET-3: the operator\'s policy holds for every call, and its refusal names the rule', async (t) => {
  const daemon = await Daemon.start(t, {
    program: fixtures,
    config: 'policy:\n  allow_domains: [good.test, "=only.test"]\n  block_domains: [bad.good.test]\n  tools_deny: [browser_evaluate]\n',
  });
  assert.equal((await call(daemon, 'browser_navigate', { url: 'https://a.good.test/x' })).isError ?? false, false);
  for (const url of ['https://evilgood.test/', 'https://good.test.evil.test/', 'http://a.only.test/', 'http://x@evil.test/',
    'http://good.test@evil.test/', 'http://bad.good.test./', 'http://BAD.GOOD.TEST/', 'http://0x7f.1/']) {
    const refused = await call(daemon, 'browser_navigate', { url });
    assert.equal(refused.isError, true, url);
    assert.match(words(refused), /domain_blocked|operator's policy/, url);
  }
  assert.match(words(await call(daemon, 'browser_navigate', { url: 'http://x.bad.good.test/' })), /rule "bad\.good\.test" of the operator's policy/);
});

test('a denied tool is neither listed nor run, also as a step', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures, config: 'policy:\n  tools_deny: [browser_click]\n  evaluate: false\n' });
  const names = await tools(daemon);
  assert.ok(names.includes('browser_navigate'));
  assert.ok(!names.includes('browser_click'));
  assert.ok(!names.includes('browser_evaluate'));
  const refused = await call(daemon, 'browser_click', { target: 'e1' });
  assert.equal(refused.isError, true);
  assert.match(words(refused), /browser_click.*'tools\.deny' of the operator's policy/s);
  const sequence = await call(daemon, 'execute_sequence', { actions: [{ action: 'browser_click', target: 'e1' }] });
  assert.match(words(sequence), /tools\.deny/);
});

test('a session may narrow what its tenant has, and keeps that over a restart', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const bad = await call(daemon, 'start_session', { sessionId: 's', policy: { allow_domains: ['com'] } });
  assert.match(words(bad), /"com" is a public suffix/);
  const odd = await call(daemon, 'start_session', { sessionId: 's', policy: { allowed: [] } });
  assert.match(words(odd), /no member "allowed"/);
  assert.equal((await call(daemon, 'start_session', { sessionId: 's', policy: { allow_domains: ['a.test'], read_only: true } })).isError ?? false, false);
  const look = async (d) => {
    assert.match(words(await call(d, 'browser_navigate', { sessionId: 's', url: 'https://b.test/' })), /allow_domains of the session's policy/);
    assert.match(words(await call(d, 'browser_click', { sessionId: 's', target: 'e1' })), /'read_only' of the session's policy/);
    assert.equal((await call(d, 'browser_navigate', { sessionId: 's', url: 'https://a.test/' })).isError ?? false, false);
  };
  await look(daemon);
  await daemon.kill();
  await look(await Daemon.start(t, { program: fixtures, dir: daemon.dir }));
});

test('a tenant\'s policy is set over REST, kept, shown, tried and removed', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  assert.equal((await api(daemon, 'GET', '/api/policy/default')).json.policy, null);
  assert.equal((await api(daemon, 'PUT', '/api/policy/default', { block_domains: ['co.uk'] })).status, 400);
  assert.equal((await api(daemon, 'PUT', '/api/policy/No%20Name', {})).status, 404);
  const put = await api(daemon, 'PUT', '/api/policy/default', { block_domains: ['evil.test'] });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(put.json.policy, { block_domains: ['evil.test'] });
  await daemon.kill();
  const again = await Daemon.start(t, { program: fixtures, dir: daemon.dir });
  const tried = await api(again, 'POST', '/api/policy/default/check', { url: 'https://a.evil.test/' });
  assert.deepEqual(tried.json, {
    url: 'https://a.evil.test/', allowed: false, reason: 'a.evil.test:443 is blocked by the rule "evil.test" of the tenant\'s policy',
  });
  assert.equal((await api(again, 'POST', '/api/policy/default/check', { url: 'https://b.test/' })).json.allowed, true);
  assert.equal((await api(again, 'DELETE', '/api/policy/default')).status, 200);
  assert.equal((await api(again, 'DELETE', '/api/policy/default')).status, 404);
  assert.equal((await api(again, 'POST', '/api/policy/default/check', { url: 'https://a.evil.test/' })).json.allowed, true);
});

test('blocking a domain ends the sessions that are on it, by REST and by reload', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const begin = async (name, url) => {
    await call(daemon, 'start_session', { sessionId: name });
    assert.equal((await call(daemon, 'browser_navigate', { sessionId: name, url })).isError ?? false, false);
  };
  await begin('one', 'https://www.evil.test/');
  await begin('two', 'https://worse.test/');
  await begin('three', 'https://fine.test/');
  assert.equal((await api(daemon, 'PUT', '/api/policy/default', { block_domains: ['evil.test'] })).status, 200);
  assert.match(words(await call(daemon, 'browser_snapshot', { sessionId: 'one' })), /its domain was blocked/);
  assert.equal((await call(daemon, 'browser_snapshot', { sessionId: 'two' })).isError ?? false, false);
  await writeFile(daemon.configFile, 'policy:\n  block_domains: [worse.test]\n');
  daemon.child.kill('SIGHUP');
  await until(async () => /its domain was blocked/.test(words(await call(daemon, 'browser_snapshot', { sessionId: 'two' }))), 10_000, 'the reload');
  assert.equal((await call(daemon, 'browser_snapshot', { sessionId: 'three' })).isError ?? false, false);
});

test('the toolset octopus has its own allowlist, with its own words', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures, config: 'octopus:\n  allowed_domains: ["*.x.test", y.test]\n' });
  const navigate = async (url, target = '/mcp/octopus') => {
    const reply = await postModern(daemon, 'tools/call', { name: 'browser_navigate', arguments: { url } },
      { target, headers: { 'x-conversation-id': `octopus ${target}` } });
    return words((reply.json ?? reply.events.at(-1).message).result);
  };
  for (const url of ['https://x.test/', 'https://a.x.test/', 'https://Y.test/']) assert.doesNotMatch(await navigate(url), /error/);
  for (const url of ['https://z.test/', 'https://a.y.test/', 'http://127.0.0.1/', 'http://10.0.0.1/', 'http://localhost/', 'http://[::1]/', 'http://0x7f.1/']) {
    assert.deepEqual(JSON.parse(await navigate(url)), {
      error: 'Navigation blocked', reason: `The domain in '${url}' is not on the approved allowlist.`,
    });
  }
  assert.doesNotMatch(await navigate('https://z.test/', '/mcp'), /blocked/);
});

test('the toolset octopus keeps to its rule for private networks without a list, and gives it up with one, by its own setting', async (t) => {
  const inner = ['http://127.0.0.1/', 'http://localhost/', 'http://10.0.0.1/', 'http://[fe80::1]/', 'http://[::ffff:127.0.0.1]/', 'http://0.0.0.0/'];
  for (const [config, refused] of [['', false], ['octopus:\n  private_networks: deny\n', true],
    ['octopus:\n  allowed_domains: ["127.0.0.1", localhost, "10.0.0.1", "[fe80::1]", "0.0.0.0"]\n  private_networks: allow\n', false]]) {
    const daemon = await Daemon.start(t, { program: fixtures, config });
    for (const url of inner) {
      const reply = await postModern(daemon, 'tools/call', { name: 'browser_navigate', arguments: { url } },
        { target: '/mcp/octopus', headers: { 'x-conversation-id': 'o' } });
      const text = words((reply.json ?? reply.events.at(-1).message).result);
      assert.equal(/Navigation blocked/.test(text), refused, `${config} ${url}: ${text}`);
    }
  }
});

test('a setting that is no policy is refused at the start', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures, config: 'policy:\n  block_domains: [com]\n' }).catch((err) => err);
  assert.match(String(daemon), /policy: block_domains: the rule "com" is a public suffix/);
});

test('the command shows, sets, tries and clears', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const policy = (...args) => run(['policy', ...args, '--state-dir', daemon.stateDir, '--runtime-dir', path.join(daemon.dir, 'run')]);
  const file = path.join(daemon.dir, 'policy.json');
  await writeFile(file, '{"allow_domains": ["a.test"]}');
  const set = await policy('set', file);
  assert.equal(set.code, 0, set.stderr);
  assert.match(set.stdout, /tenant: \{"allow_domains":\["a\.test"\]\}/);
  const good = await policy('check', 'https://x.a.test/');
  assert.deepEqual([good.code, good.stdout], [0, 'allowed\n']);
  const bad = await policy('check', 'https://b.test/');
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /refused: b\.test:443 is not in allow_domains of the tenant's policy/);
  assert.equal((await policy('clear')).code, 0);
  assert.match((await policy('show')).stdout, /tenant: none/);
  assert.equal((await policy('frobnicate')).code, 2);
});

test('a refused page is told once each, and a flood is counted', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures, config: 'policy:\n  block_domains: [evil.test]\n' });
  for (let i = 0; i < 130; i++) {
    assert.equal((await call(daemon, 'browser_navigate', { url: `https://evil.test/${i}?secret=1` })).isError, true);
  }
  const search = ['audit', 'search', '--type', 'page_refused', '-n', '1000', '--json', '--state-dir', daemon.stateDir];
  let lines;
  await until(async () => {
    lines = (await run(search)).stdout.trim().split('\n');
    return lines.length >= 100;
  }, 10_000, 'the entries');
  assert.equal(lines.length, 100);
  assert.match(lines[0], /rule \\\\*"evil\.test/);
  assert.doesNotMatch(lines.join(), /secret=1/);
});

test('a tool in ask waits for a person, who approves, refuses or does not come', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures, config: 'policy:\n  ask: [browser_navigate, start_session]\n  ask_ms: 2000\n' });
  const waiting = async () => {
    let list = [];
    await until(async () => (list = (await api(daemon, 'GET', '/api/approvals')).json.approvals).length > 0, 10_000, 'an approval');
    return list[0];
  };
  const first = call(daemon, 'browser_navigate', { url: 'https://a.test/' });
  const wanted = await waiting();
  assert.equal(wanted.tool, 'browser_navigate');
  assert.deepEqual(wanted.arguments.url, 'https://a.test/');
  assert.equal((await api(daemon, 'POST', `/api/approvals/${wanted.id}`, { approve: 'yes' })).status, 400);
  assert.equal((await api(daemon, 'POST', '/api/approvals/nothing', { approve: true })).status, 404);
  assert.equal((await api(daemon, 'POST', `/api/approvals/${wanted.id}`, { approve: true })).status, 200);
  assert.equal((await first).isError ?? false, false);
  assert.equal((await api(daemon, 'POST', `/api/approvals/${wanted.id}`, { approve: true })).status, 404);

  const second = call(daemon, 'start_session', { sessionId: 'x' });
  const { id } = await waiting();
  const command = (...args) => run(['approvals', ...args, '--state-dir', daemon.stateDir, '--runtime-dir', path.join(daemon.dir, 'run')]);
  assert.match((await command('list')).stdout, new RegExp(`${id} +default +start_session +- +\\{.*x`));
  assert.deepEqual(await command('deny', id).then(({ code, stdout }) => [code, stdout]), [0, 'refused\n']);
  assert.equal((await command('allow', id)).code, 4);
  assert.equal((await command('allow')).code, 2);
  assert.match(words(await second), /start_session needs a person's approval, and it was refused/);

  const step = call(daemon, 'execute_sequence', { actions: [{ action: 'browser_navigate', url: 'https://b.test/' }] });
  await api(daemon, 'POST', `/api/approvals/${(await waiting()).id}`, { approve: true });
  assert.equal((await step).isError ?? false, false, words(await step));
  assert.match(words(await call(daemon, 'browser_navigate', { url: 'https://c.test/' })), /nobody gave it in time/);
  assert.match(words(await call(daemon, 'browser_navigate', { url: 'https://c.test/', timeout_ms: 300 })), /waited 300 ms for a person's approval/);
  assert.deepEqual((await api(daemon, 'GET', '/api/approvals')).json, { approvals: [] });
});

test('a session\'s own policy asks when its turn comes, and a call that goes leaves nothing behind', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  await call(daemon, 'start_session', { sessionId: 's', policy: { ask: ['browser_click'] } });
  assert.equal((await call(daemon, 'browser_snapshot', { sessionId: 's' })).isError ?? false, false);
  const late = await call(daemon, 'browser_click', { sessionId: 's', target: 'e1', timeout_ms: 300 });
  assert.equal(late.isError, true);
  assert.deepEqual((await api(daemon, 'GET', '/api/approvals')).json, { approvals: [] });
  const steps = await call(daemon, 'execute_sequence', { sessionId: 's', actions: [{ action: 'browser_click', target: 'e1' }], timeout_ms: 300 });
  assert.equal(steps.isError, true);
  const closed = call(daemon, 'browser_click', { sessionId: 's', target: 'e1' });
  await until(async () => (await api(daemon, 'GET', '/api/approvals')).json.approvals.length > 0, 10_000, 'an approval');
  await call(daemon, 'close_session', { sessionId: 's' });
  assert.equal((await closed).isError, true);
  assert.deepEqual((await api(daemon, 'GET', '/api/approvals')).json, { approvals: [] });
});

test('what was asked for is judged again when a person has approved, and steps go by the names of their toolset', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const first = async () => {
    let list;
    await until(async () => (list = (await api(daemon, 'GET', '/api/approvals')).json.approvals).length > 0, 10_000, 'an approval');
    return list[0].id;
  };
  await call(daemon, 'start_session', { sessionId: 's', policy: { ask: ['browser_click'] } });
  const waits = call(daemon, 'browser_click', { sessionId: 's', target: 'e1' });
  const id = await first();
  assert.equal((await api(daemon, 'PUT', '/api/policy/default', { tools: { deny: ['browser_click'] } })).status, 200);
  await api(daemon, 'POST', `/api/approvals/${id}`, { approve: true });
  assert.match(words(await waits), /not allowed by 'tools\.deny'/);
  assert.equal((await api(daemon, 'PUT', '/api/policy/default', { ask: ['*'] })).status, 400);
  assert.equal((await api(daemon, 'PUT', '/api/policy/default', { ask: ['click_element'] })).status, 200);
  const steps = postModern(daemon, 'tools/call', { name: 'execute_sequence', arguments: { sessionId: 's', actions: [{ action: 'click_element', selector: 'body' }] } },
    { target: '/mcp/wdio', headers: { 'x-conversation-id': 'c' } });
  await api(daemon, 'POST', `/api/approvals/${await first()}`, { approve: false });
  assert.match((await steps).text, /refused/);
});

test('a policy that cannot be enforced at an endpoint is refused, and one that can is not', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const start = async (policy) => words(await call(daemon, 'start_session', { provider: 'cdp', endpoint: 'http://127.0.0.1:1', policy }));
  for (const policy of [{ allow_domains: ['a.test'] }, { block_domains: ['a.test'] }, { schemes: ['https'] }, { private_networks: 'deny' }]) {
    assert.match(await start(policy), /with provider cdp, rules for domains, schemes and private networks cannot be enforced/, JSON.stringify(policy));
  }
  for (const policy of [{ read_only: true }, { tools: { deny: ['browser_click'] } }, {}]) {
    assert.doesNotMatch(await start(policy), /cannot be enforced/, JSON.stringify(policy));
  }
});

test('without the forward proxy a session with a policy does not open, and one without does', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures, config: 'proxy:\n  listen: off\n' });
  const refused = await call(daemon, 'start_session', { sessionId: 'a', policy: { block_domains: ['a.test'] } });
  assert.equal(refused.isError, true);
  assert.match(words(refused), /cannot be enforced, because the forward proxy is off; the operator turns it on with proxy\.listen/);
  assert.equal((await call(daemon, 'start_session', { sessionId: 'b' })).isError ?? false, false);
});
